package dev.sandboxer.ext.docker.wire;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.Signature;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Collection;
import java.util.List;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.openssl.PEMKeyPair;
import org.bouncycastle.openssl.PEMParser;

/** Our certificate, and the authorities that we accept. Equal to itself alone: it has a secret. */
public final class TlsIdentity {

  private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA");
  private static final char[] NO_PASSWORD = {};

  private final SSLSocketFactory sockets;

  private TlsIdentity(SSLSocketFactory sockets) {
    this.sockets = sockets;
  }

  /**
   * Reads it.
   *
   * @param authority certificates of those who sign Engines' certificates
   * @param certificate ours, with those between it and the Engine's authority
   * @param key its private key, in PKCS#8, PKCS#1 or SEC1, without a passphrase
   * @return for as many connections as are wanted
   * @throws IOException if one of them cannot be read; the message says which
   */
  public static TlsIdentity of(String authority, String certificate, String key)
      throws IOException {
    Collection<? extends Certificate> trusted = certificates(authority, "settings.ca_file");
    Collection<? extends Certificate> own = certificates(certificate, "settings.certificate_file");
    PrivateKey secret = key(key);
    try {
      requirePair(secret, own.iterator().next());
      KeyStore ours = empty();
      ours.setKeyEntry("own", secret, NO_PASSWORD, own.toArray(Certificate[]::new));
      KeyManagerFactory keys =
          KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
      keys.init(ours, NO_PASSWORD);
      KeyStore theirs = empty();
      int number = 0;
      for (Certificate one : trusted) {
        theirs.setCertificateEntry("authority-" + number++, one);
      }
      TrustManagerFactory trust =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      trust.init(theirs);
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
      return new TlsIdentity(tls.getSocketFactory());
    } catch (GeneralSecurityException e) {
      throw new IOException("certificate and key cannot be used: " + e.getMessage(), e);
    }
  }

  /** Java would find out at the first connection, and not say it. */
  private static void requirePair(PrivateKey key, Certificate certificate)
      throws GeneralSecurityException, IOException {
    if (key.getAlgorithm().equals(certificate.getPublicKey().getAlgorithm())) {
      Signature signature =
          Signature.getInstance(
              switch (key.getAlgorithm()) {
                case "RSA" -> "SHA256withRSA";
                case "EC" -> "SHA256withECDSA";
                default -> key.getAlgorithm();
              });
      signature.initSign(key);
      byte[] proof = signature.sign();
      signature.initVerify(certificate.getPublicKey());
      if (signature.verify(proof)) {
        return;
      }
    }
    throw new IOException(
        "settings.certificate_file and its key do not go together: the key is another one's");
  }

  private static KeyStore empty() throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    return store;
  }

  private static Collection<? extends Certificate> certificates(String pem, String name)
      throws IOException {
    try {
      Collection<? extends Certificate> all =
          CertificateFactory.getInstance("X.509")
              .generateCertificates(
                  new ByteArrayInputStream(pem.getBytes(StandardCharsets.US_ASCII)));
      if (!all.isEmpty()) {
        return all;
      }
    } catch (CertificateException e) {
      throw new IOException(name + " has no certificates in PEM: " + e.getMessage(), e);
    }
    throw new IOException(name + " has no certificates in PEM");
  }

  private static PrivateKey key(String pem) throws IOException {
    PrivateKeyInfo info =
        switch (parsed(pem)) {
          case PrivateKeyInfo plain -> plain;
          case PEMKeyPair pair -> pair.getPrivateKeyInfo();
          case null, default -> throw notKey();
        };
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm)
            .generatePrivate(new PKCS8EncodedKeySpec(info.getEncoded()));
      } catch (InvalidKeySpecException e) {
        // It is of another kind.
      } catch (GeneralSecurityException e) {
        throw new IllegalStateException(e);
      }
    }
    throw notKey();
  }

  private static Object parsed(String pem) throws IOException {
    try (PEMParser parser = new PEMParser(new StringReader(pem))) {
      return parser.readObject();
    } catch (IOException e) {
      throw notKey();
    }
  }

  /** Without a word of what was read. */
  private static IOException notKey() {
    return new IOException(
        "credentials.key or settings.key_file is not a private key in PEM without a passphrase");
  }

  SSLSocketFactory sockets() {
    return sockets;
  }
}
