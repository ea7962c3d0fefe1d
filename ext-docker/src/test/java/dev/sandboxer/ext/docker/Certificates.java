package dev.sandboxer.ext.docker;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.jspecify.annotations.Nullable;

/** An authority, and files of those that it vouches for. */
final class Certificates {

  private static final char[] NO_PASSWORD = {};

  private final X500Name name = new X500Name("CN=Test authority");
  private final Path folder;
  private final KeyPair pair;
  private final X509Certificate authority;

  Certificates(Path folder) throws GeneralSecurityException, IOException {
    this.folder = Files.createDirectories(folder);
    this.pair = pair("EC", 256);
    this.authority = sign(name, pair, "", Instant.now().plusSeconds(3600));
    write("ca.pem", "CERTIFICATE", authority.getEncoded());
  }

  private static KeyPair pair(String algorithm, int size) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance(algorithm);
    generator.initialize(size);
    return generator.generateKeyPair();
  }

  private X509Certificate sign(X500Name subject, KeyPair own, String host, Instant end)
      throws GeneralSecurityException, IOException {
    try {
      JcaX509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
              name,
              BigInteger.valueOf(System.nanoTime()),
              Date.from(Instant.EPOCH),
              Date.from(end),
              subject,
              own.getPublic());
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(own == pair));
      if (!host.isEmpty()) {
        int kind = host.matches("[0-9.]+") ? GeneralName.iPAddress : GeneralName.dNSName;
        builder.addExtension(
            Extension.subjectAlternativeName, false, new GeneralNames(new GeneralName(kind, host)));
      }
      return new JcaX509CertificateConverter()
          .getCertificate(
              builder.build(
                  new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate())));
    } catch (OperatorException e) {
      throw new IllegalStateException(e);
    }
  }

  Path authority() {
    return folder.resolve("ca.pem");
  }

  /** Files of a client, {@code <name>.pem} and {@code <name>-key.pem}. */
  Path client(String client) throws GeneralSecurityException, IOException {
    KeyPair own = pair("RSA", 2048);
    X509Certificate signed =
        sign(new X500Name("CN=" + client), own, "", Instant.now().plusSeconds(3600));
    write(client + "-key.pem", "PRIVATE KEY", own.getPrivate().getEncoded());
    write(client + "-old.pem", "RSA PRIVATE KEY", pkcs1(own));
    return write(client + ".pem", "CERTIFICATE", signed.getEncoded());
  }

  /** As OpenSSL wrote keys before its version 3. */
  private static byte[] pkcs1(KeyPair own) throws IOException {
    return PrivateKeyInfo.getInstance(own.getPrivate().getEncoded())
        .parsePrivateKey()
        .toASN1Primitive()
        .getEncoded();
  }

  Path key(String client) {
    return folder.resolve(client + "-key.pem");
  }

  private Path write(String file, String kind, byte[] content) throws IOException {
    String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    return Files.writeString(
        folder.resolve(file),
        "-----BEGIN %s-----\n%s\n-----END %s-----\n".formatted(kind, text, kind));
  }

  /** A server for a host that takes this authority's clients alone. */
  SSLContext server(String host, Instant end) throws GeneralSecurityException, IOException {
    KeyPair own = pair("EC", 256);
    X509Certificate signed = sign(new X500Name("CN=" + host), own, host, end);
    KeyManagerFactory keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(store(own.getPrivate(), signed), NO_PASSWORD);
    TrustManagerFactory trust =
        TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(store(null, authority));
    SSLContext tls = SSLContext.getInstance("TLS");
    tls.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
    return tls;
  }

  private static KeyStore store(@Nullable Key key, X509Certificate certificate)
      throws GeneralSecurityException, IOException {
    KeyStore store = KeyStore.getInstance("PKCS12");
    store.load(null, null);
    if (key == null) {
      store.setCertificateEntry("authority", certificate);
    } else {
      store.setKeyEntry("own", key, NO_PASSWORD, new X509Certificate[] {certificate});
    }
    return store;
  }
}
