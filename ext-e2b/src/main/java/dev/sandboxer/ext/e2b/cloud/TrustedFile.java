package dev.sandboxer.ext.e2b.cloud;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.Collection;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/** Authorities of a file, beside those that Java trusts. */
final class TrustedFile {

  private TrustedFile() {}

  static SSLContext context(Path file) throws IOException, GeneralSecurityException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    int number = 0;
    for (Certificate own : read(file)) {
      store.setCertificateEntry("own-" + number++, own);
    }
    for (TrustManager manager : factory(null).getTrustManagers()) {
      if (manager instanceof X509TrustManager java) {
        for (X509Certificate one : java.getAcceptedIssuers()) {
          store.setCertificateEntry("java-" + number++, one);
        }
      }
    }
    SSLContext context = SSLContext.getInstance("TLS");
    context.init(null, factory(store).getTrustManagers(), null);
    return context;
  }

  private static Collection<? extends Certificate> read(Path file)
      throws IOException, GeneralSecurityException {
    try (InputStream in = Files.newInputStream(file)) {
      Collection<? extends Certificate> all =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (all.isEmpty()) {
        throw new CertificateException("it holds no certificate in PEM");
      }
      return all;
    }
  }

  private static TrustManagerFactory factory(@Nullable KeyStore store)
      throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory;
  }
}
