package dev.sandboxer.platform.dataplane;

import java.io.IOException;
import java.math.BigInteger;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Instant;
import java.util.Arrays;
import java.util.Date;
import java.util.UUID;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
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

/** An authority that tests trust, and servers that it vouches for. */
final class TestAuthority {

  private final X500Name name = new X500Name("CN=Test authority " + UUID.randomUUID());
  private final KeyPair pair = pair();
  private final X509Certificate certificate = certificate(name, pair, null);

  private static KeyPair pair() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private X509Certificate certificate(X500Name subject, KeyPair own, @Nullable String host) {
    try {
      JcaX509v3CertificateBuilder builder =
          new JcaX509v3CertificateBuilder(
              name,
              BigInteger.ONE,
              Date.from(Instant.EPOCH),
              Date.from(Instant.parse("2099-01-01T00:00:00Z")),
              subject,
              own.getPublic());
      builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(host == null));
      if (host != null) {
        builder.addExtension(
            Extension.subjectAlternativeName,
            false,
            new GeneralNames(new GeneralName(GeneralName.dNSName, host)));
      }
      return new JcaX509CertificateConverter()
          .getCertificate(
              builder.build(
                  new JcaContentSignerBuilder("SHA256withECDSA").build(pair.getPrivate())));
    } catch (CertificateException | OperatorException | IOException e) {
      throw new IllegalStateException(e);
    }
  }

  /** A server that shows a certificate for a host. */
  SSLContext server(String host) {
    KeyPair own = pair();
    return TestCertificates.server(
        own.getPrivate(), certificate(new X500Name("CN=" + host), own, host));
  }

  /** Trusts it alone. */
  X509TrustManager trust() {
    return Arrays.stream(trust(certificate).getTrustManagers())
        .map(X509TrustManager.class::cast)
        .findFirst()
        .orElseThrow();
  }

  /** A client that trusts it alone. */
  SSLContext client() {
    return client(certificate);
  }

  /** A client that trusts one authority alone. */
  static SSLContext client(X509Certificate authority) {
    try {
      SSLContext tls = SSLContext.getInstance("TLS");
      tls.init(null, trust(authority).getTrustManagers(), null);
      return tls;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static TrustManagerFactory trust(X509Certificate authority) {
    try {
      KeyStore store = KeyStore.getInstance("PKCS12");
      store.load(null, null);
      store.setCertificateEntry("authority", authority);
      TrustManagerFactory factory =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      factory.init(store);
      return factory;
    } catch (GeneralSecurityException | IOException e) {
      throw new IllegalStateException(e);
    }
  }
}
