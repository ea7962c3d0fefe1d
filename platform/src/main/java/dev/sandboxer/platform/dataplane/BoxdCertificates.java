package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.wire.Pins;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.installation.KeyDerivation;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.time.Instant;
import java.util.Base64;
import java.util.Date;
import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.edec.EdECObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PrivateKeyInfo;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.AlgorithmIdentifier;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.crypto.params.Ed25519PrivateKeyParameters;
import org.bouncycastle.crypto.util.SubjectPublicKeyInfoFactory;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * The certificates of boxds that speak TLS. The key pair follows from the master key and from whose
 * boxd it is, the same that the relay's tokens name, so that nothing is stored and the pin is known
 * after a restart. Usable from any thread.
 */
public final class BoxdCertificates implements Pins {

  /** RFC 5280's "no well-defined end": the pin counts, not the dates. */
  private static final Instant NEVER = Instant.parse("9999-12-31T23:59:59Z");

  private static final String ALGORITHM = "Ed25519";

  private final KeyDerivation derivation;

  /**
   * Makes certificates from a secret.
   *
   * @param derivation of each boxd's key
   */
  public BoxdCertificates(KeyDerivation derivation) {
    this.derivation = derivation;
  }

  /**
   * A certificate and its key, both in PEM.
   *
   * @param certificate signed by its own key
   * @param key PKCS #8, secret
   */
  public record Pair(String certificate, String key) {

    @Override
    public String toString() {
      return "Pair[]";
    }
  }

  /**
   * Makes what boxd shows.
   *
   * @param sandboxId the sandbox's id
   * @param generation incarnation
   * @return the same for the same arguments
   */
  public Pair pair(SandboxId sandboxId, int generation) {
    Ed25519PrivateKeyParameters key = key(sandboxId, generation);
    X500Name name = new X500Name("CN=" + sandboxId.publicId());
    try {
      byte[] pkcs8 = pkcs8(key);
      byte[] certificate =
          new X509v3CertificateBuilder(
                  name,
                  BigInteger.valueOf(generation),
                  Date.from(Instant.EPOCH),
                  Date.from(NEVER),
                  name,
                  spki(key))
              .build(new JcaContentSignerBuilder(ALGORITHM).build(signing(pkcs8)))
              .getEncoded();
      return new Pair(pem("CERTIFICATE", certificate), pem("PRIVATE KEY", pkcs8));
    } catch (IOException | GeneralSecurityException | OperatorCreationException e) {
      throw new IllegalStateException("a certificate could not be made", e);
    }
  }

  private static byte[] pkcs8(Ed25519PrivateKeyParameters key) throws IOException {
    AlgorithmIdentifier algorithm = new AlgorithmIdentifier(EdECObjectIdentifiers.id_Ed25519);
    return new PrivateKeyInfo(algorithm, new DEROctetString(key.getEncoded())).getEncoded();
  }

  private static PrivateKey signing(byte[] pkcs8) throws GeneralSecurityException {
    return KeyFactory.getInstance(ALGORITHM).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
  }

  @Override
  public byte[] publicKey(SandboxId sandboxId, int generation) {
    try {
      return spki(key(sandboxId, generation)).getEncoded();
    } catch (IOException e) {
      throw new IllegalStateException("a public key could not be encoded", e);
    }
  }

  /** No part can hold a line feed, so the text is unambiguous. */
  private Ed25519PrivateKeyParameters key(SandboxId sandboxId, int generation) {
    String use = String.join("\n", "boxd-tls/v1", sandboxId.raw(), Integer.toString(generation));
    return new Ed25519PrivateKeyParameters(derivation.derive(use), 0);
  }

  private static SubjectPublicKeyInfo spki(Ed25519PrivateKeyParameters key) throws IOException {
    return SubjectPublicKeyInfoFactory.createSubjectPublicKeyInfo(key.generatePublicKey());
  }

  private static String pem(String kind, byte[] der) {
    String body =
        Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(der);
    return "-----BEGIN " + kind + "-----\n" + body + "\n-----END " + kind + "-----\n";
  }
}
