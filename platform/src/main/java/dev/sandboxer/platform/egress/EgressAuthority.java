package dev.sandboxer.platform.egress;

import dev.sandboxer.platform.address.AddressRange;
import dev.sandboxer.platform.address.HostName;
import dev.sandboxer.platform.address.HostPattern;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.installation.KeyDerivation;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.Date;
import java.util.List;
import java.util.stream.Stream;
import org.bouncycastle.asn1.DEROctetString;
import org.bouncycastle.asn1.sec.SECObjectIdentifiers;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.asn1.x509.GeneralSubtree;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.asn1.x509.NameConstraints;
import org.bouncycastle.asn1.x509.SubjectPublicKeyInfo;
import org.bouncycastle.cert.X509v3CertificateBuilder;
import org.bouncycastle.cert.bc.BcX509ExtensionUtils;
import org.bouncycastle.crypto.params.ECNamedDomainParameters;
import org.bouncycastle.crypto.params.ECPrivateKeyParameters;
import org.bouncycastle.crypto.params.ECPublicKeyParameters;
import org.bouncycastle.crypto.util.SubjectPublicKeyInfoFactory;
import org.bouncycastle.math.ec.FixedPointCombMultiplier;

/**
 * Signs what the proxy shows to the programs of one sandbox in the place of hosts. Its key follows
 * from the master key and from whose it is, so that nothing is stored and what is installed in a
 * sandbox counts after a restart of the platform. It is good for the hosts that are intercepted
 * alone. Usable from any thread.
 */
public final class EgressAuthority {

  private static final Instant FROM = Instant.parse("2020-01-01T00:00:00Z");
  private static final Instant UNTIL = Instant.parse("2099-12-31T23:59:59Z");

  /** For the clock of a program that runs ahead or behind, or is set. */
  private static final Duration BEFORE = Duration.ofDays(3);

  private static final Duration AFTER = Duration.ofDays(7);

  /** RFC 6761: no host has this name, so a constraint with it permits none. */
  private static final String NOBODY = "invalid";

  private static final ECNamedDomainParameters CURVE =
      ECNamedDomainParameters.lookup(SECObjectIdentifiers.secp256r1);
  private static final KeyUsage SIGNS_CERTIFICATES = new KeyUsage(KeyUsage.keyCertSign);
  private static final KeyUsage SIGNS = new KeyUsage(KeyUsage.digitalSignature);
  private static final ExtendedKeyUsage SERVERS =
      new ExtendedKeyUsage(KeyPurposeId.id_kp_serverAuth);

  private final SecureRandom random = new SecureRandom();
  private final ECPrivateKeyParameters key;
  private final X500Name name;
  private final BigInteger serial;
  private final List<HostPattern> hosts;

  /**
   * Makes the authority of one sandbox.
   *
   * @param derivation of its key
   * @param sandboxId the sandbox's id
   * @param generation incarnation
   * @param hosts that it is good for, see {@link #hosts(EgressRules, List)}
   */
  public EgressAuthority(
      KeyDerivation derivation, SandboxId sandboxId, int generation, List<HostPattern> hosts) {
    this.key = key(derivation, sandboxId, generation);
    this.name = new X500Name("CN=Sandboxer egress %s %d".formatted(sandboxId.raw(), generation));
    this.serial = BigInteger.valueOf(generation);
    this.hosts = List.copyOf(hosts);
  }

  /**
   * The hosts whose TLS the proxy ends itself.
   *
   * @param rules of the sandbox
   * @param secrets of it
   * @return empty if no authority has to be installed
   */
  public static List<HostPattern> hosts(EgressRules rules, List<EgressSecret> secrets) {
    return Stream.concat(
            rules.rules().stream()
                .filter(rule -> !rule.methods().isEmpty())
                .map(EgressRules.Rule::host),
            secrets.stream().flatMap(secret -> secret.hosts().stream()))
        .distinct()
        .toList();
  }

  /** Two derived keys, as one would make small numbers likelier (FIPS 186-5, A.2.1). */
  private static ECPrivateKeyParameters key(
      KeyDerivation derivation, SandboxId sandboxId, int generation) {
    ByteBuffer bytes = ByteBuffer.allocate(64);
    for (String half : new String[] {"1", "2"}) {
      bytes.put(
          derivation.derive(
              String.join(
                  "\n", "egress-ca/v1", sandboxId.raw(), Integer.toString(generation), half)));
    }
    BigInteger most = CURVE.getN().subtract(BigInteger.ONE);
    BigInteger d = new BigInteger(1, bytes.array()).mod(most).add(BigInteger.ONE);
    return new ECPrivateKeyParameters(d, CURVE);
  }

  /**
   * The certificate that programs have to trust.
   *
   * @return PEM; the same for the same arguments
   */
  public String certificate() {
    try {
      SubjectPublicKeyInfo own = publicKey();
      byte[] der =
          new X509v3CertificateBuilder(name, serial, Date.from(FROM), Date.from(UNTIL), name, own)
              .addExtension(Extension.basicConstraints, true, new BasicConstraints(0))
              .addExtension(Extension.keyUsage, true, SIGNS_CERTIFICATES)
              .addExtension(Extension.extendedKeyUsage, false, SERVERS)
              .addExtension(Extension.nameConstraints, true, constraints())
              .addExtension(
                  Extension.subjectKeyIdentifier,
                  false,
                  new BcX509ExtensionUtils().createSubjectKeyIdentifier(own))
              .build(new EcdsaSigner(key))
              .getEncoded();
      String body =
          Base64.getMimeEncoder(64, "\n".getBytes(StandardCharsets.US_ASCII)).encodeToString(der);
      return "-----BEGIN CERTIFICATE-----\n" + body + "\n-----END CERTIFICATE-----\n";
    } catch (IOException e) {
      throw new IllegalStateException("a certificate could not be made", e);
    }
  }

  private SubjectPublicKeyInfo publicKey() throws IOException {
    return SubjectPublicKeyInfoFactory.createSubjectPublicKeyInfo(
        new ECPublicKeyParameters(
            new FixedPointCombMultiplier().multiply(CURVE.getG(), key.getD()), CURVE));
  }

  /** A kind of name that is not mentioned is free, so both are. */
  private NameConstraints constraints() {
    List<GeneralSubtree> permitted = new ArrayList<>();
    List<GeneralSubtree> excluded = new ArrayList<>();
    for (HostPattern host : hosts) {
      permitted.add(
          switch (host) {
            case HostPattern.Names names -> names(names.name());
            case HostPattern.Addresses(AddressRange range) ->
                addresses(range.base().getAddress(), range.bits());
          });
    }
    if (hosts.stream().noneMatch(HostPattern.Names.class::isInstance)) {
      permitted.add(names(NOBODY));
    }
    if (hosts.stream().noneMatch(HostPattern.Addresses.class::isInstance)) {
      excluded.add(addresses(new byte[4], 0));
      excluded.add(addresses(new byte[16], 0));
    }
    return new NameConstraints(
        permitted.toArray(GeneralSubtree[]::new),
        excluded.isEmpty() ? null : excluded.toArray(GeneralSubtree[]::new));
  }

  private static GeneralSubtree names(String name) {
    return new GeneralSubtree(new GeneralName(GeneralName.dNSName, name));
  }

  /** The address and its mask (RFC 5280, 4.2.1.10). */
  private static GeneralSubtree addresses(byte[] base, int bits) {
    byte[] both = Arrays.copyOf(base, 2 * base.length);
    for (int bit = 0; bit < bits; bit++) {
      both[base.length + bit / 8] |= (byte) (0x80 >> bit % 8);
    }
    return new GeneralSubtree(new GeneralName(GeneralName.iPAddress, new DEROctetString(both)));
  }

  /** What a host is shown with, and its key. */
  record Leaf(X509Certificate certificate, PrivateKey key, Instant made) {

    private static final Duration LIFE = Duration.ofDays(1);

    /** Whether another one is due; also where the clock was set back. */
    boolean stale(Instant now) {
      return Duration.between(made, now).abs().compareTo(LIFE) > 0;
    }
  }

  /** Makes a certificate for a host. */
  Leaf leaf(HostName host, Instant now) {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      KeyPair pair = generator.generateKeyPair();
      GeneralName shown =
          new GeneralName(
              host.address() ? GeneralName.iPAddress : GeneralName.dNSName, host.text());
      byte[] der =
          new X509v3CertificateBuilder(
                  name,
                  new BigInteger(120, random),
                  Date.from(now.minus(BEFORE)),
                  Date.from(now.plus(AFTER)),
                  new X500Name("CN=Sandboxer egress proxy"),
                  SubjectPublicKeyInfo.getInstance(pair.getPublic().getEncoded()))
              .addExtension(Extension.basicConstraints, true, new BasicConstraints(false))
              .addExtension(Extension.keyUsage, true, SIGNS)
              .addExtension(Extension.extendedKeyUsage, false, SERVERS)
              .addExtension(Extension.subjectAlternativeName, false, new GeneralNames(shown))
              .addExtension(
                  Extension.authorityKeyIdentifier,
                  false,
                  new BcX509ExtensionUtils().createAuthorityKeyIdentifier(publicKey()))
              .build(new EcdsaSigner(key))
              .getEncoded();
      X509Certificate certificate =
          (X509Certificate)
              CertificateFactory.getInstance("X.509")
                  .generateCertificate(new ByteArrayInputStream(der));
      return new Leaf(certificate, pair.getPrivate(), now);
    } catch (IOException | GeneralSecurityException e) {
      throw new IllegalStateException("a certificate could not be made", e);
    }
  }
}
