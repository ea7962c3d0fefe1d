package dev.sandboxer.platform.dataplane;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** Certificates of the boxds of tests, and servers that show them. */
final class TestCertificates {

  static final BoxdCertificates ALL = new BoxdCertificates(TestCertificates::digest);

  private TestCertificates() {}

  static byte[] digest(String use) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(use.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  static Certificate certificate(BoxdCertificates.Pair pair) throws GeneralSecurityException {
    return CertificateFactory.getInstance("X.509")
        .generateCertificate(
            new ByteArrayInputStream(pair.certificate().getBytes(StandardCharsets.US_ASCII)));
  }

  /** A server that shows a pair. */
  static SSLContext server(BoxdCertificates.Pair pair) {
    try {
      String base64 = pair.key().replaceAll("-----[A-Z ]+-----", "");
      byte[] pkcs8 = Base64.getMimeDecoder().decode(base64);
      return server(
          KeyFactory.getInstance("Ed25519").generatePrivate(new PKCS8EncodedKeySpec(pkcs8)),
          certificate(pair));
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A server that shows a certificate. */
  static SSLContext server(java.security.PrivateKey key, Certificate certificate) {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setKeyEntry("boxd", key, new char[0], new Certificate[] {certificate});
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(store, new char[0]);
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(keys.getKeyManagers(), null, null);
      return tls;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
