package dev.sandboxer.platform.installation;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Whose signatures count where the platform calls others by https: the authorities that Java
 * trusts, and beside them those of a file.
 */
public final class Authorities {

  private final TrustManagerFactory trust;

  private Authorities(TrustManagerFactory trust) {
    this.trust = trust;
  }

  /**
   * Reads the file.
   *
   * @param file certificates, PEM
   * @return these beside Java's own
   * @throws IllegalArgumentException if it cannot be read or holds no certificate
   */
  static Authorities beside(Path file) {
    try {
      List<Certificate> all = new ArrayList<>(List.of(java().manager().getAcceptedIssuers()));
      all.addAll(read(file));
      return new Authorities(factory(store(all)));
    } catch (IOException e) {
      throw new IllegalArgumentException("the file cannot be read: " + e, e);
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK can check certificates", e);
    }
  }

  /**
   * A client that follows no redirect and speaks HTTP/1.1.
   *
   * @param authorities to trust, Java's own if empty
   * @param connect how long a connection may take
   * @return a new client
   */
  public static HttpClient client(Optional<Authorities> authorities, Duration connect) {
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(connect);
    authorities.ifPresent(all -> builder.sslContext(all.tls()));
    return builder.build();
  }

  /** Java's own alone. */
  static Authorities java() {
    try {
      return new Authorities(factory(null));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK can check certificates", e);
    }
  }

  private static Collection<? extends Certificate> read(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      Collection<? extends Certificate> found =
          CertificateFactory.getInstance("X.509").generateCertificates(in);
      if (found.isEmpty()) {
        throw new IllegalArgumentException("there is no certificate in it; it must hold PEM");
      }
      return found;
    } catch (CertificateException e) {
      throw new IllegalArgumentException("it must hold certificates, PEM: " + e.getMessage(), e);
    }
  }

  private static KeyStore store(List<Certificate> all)
      throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance(KeyStore.getDefaultType());
    store.load(null, null);
    for (int i = 0; i < all.size(); i++) {
      store.setCertificateEntry(Integer.toString(i), all.get(i));
    }
    return store;
  }

  private static TrustManagerFactory factory(@Nullable KeyStore store)
      throws GeneralSecurityException {
    TrustManagerFactory factory =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    factory.init(store);
    return factory;
  }

  /**
   * For clients that take trust apart from the rest of TLS.
   *
   * @return ready to use
   */
  public TrustManagerFactory trust() {
    return trust;
  }

  /**
   * For clients that want what checks the certificates.
   *
   * @return ready to use
   */
  public X509TrustManager manager() {
    return Arrays.stream(trust.getTrustManagers())
        .filter(X509TrustManager.class::isInstance)
        .map(X509TrustManager.class::cast)
        .findFirst()
        .orElseThrow(() -> new IllegalStateException("every JDK can check certificates"));
  }

  /**
   * For clients that take TLS as a whole.
   *
   * @return ready to use
   */
  public SSLContext tls() {
    try {
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(null, trust.getTrustManagers(), null);
      return tls;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("every JDK has TLS", e);
    }
  }
}
