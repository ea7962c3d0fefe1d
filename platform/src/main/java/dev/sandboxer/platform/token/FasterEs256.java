package dev.sandboxer.platform.token;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Provider;
import java.security.Security;
import java.security.Signature;
import java.security.SignatureException;
import java.security.spec.ECGenParameterSpec;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jboss.logging.Logger;

/**
 * Finds AWS-LC, which computes ES256 several times as fast as the JDK, and puts it in front of the
 * JDK for that alone. Its native library may be for another machine than this, or lie where nothing
 * may be executed; the JDK then signs.
 */
final class FasterEs256 {
  private static final Logger LOG = Logger.getLogger(FasterEs256.class);
  private static final String NAME = "AmazonCorrettoCryptoProvider";

  private final ClassLoader libraries;

  FasterEs256(ClassLoader libraries) {
    this.libraries = libraries;
  }

  /** Looks for it, which takes some tenths of a second and is best done aside. */
  void install() {
    try {
      ServiceLoader.load(Provider.class, libraries).stream()
          .filter(provider -> provider.type().getSimpleName().equals(NAME))
          .findFirst()
          .ifPresent(provider -> install(provider.get()));
    } catch (ServiceConfigurationError | LinkageError e) {
      LOG.infof("the JDK signs tokens, which is slower reason=%s", e);
    }
  }

  void install(Provider library) {
    try {
      Provider faster = new Es256Provider(library);
      check(faster);
      Security.insertProviderAt(faster, 1);
    } catch (GeneralSecurityException | RuntimeException e) {
      LOG.infof("the JDK signs tokens, which is slower reason=%s", e);
    }
  }

  /** It and the JDK have to accept each other's signatures. */
  private static void check(Provider faster) throws GeneralSecurityException {
    KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
    generator.initialize(new ECGenParameterSpec("secp256r1"));
    KeyPair keys = generator.generateKeyPair();
    for (String algorithm : Es256Provider.ALGORITHMS) {
      check(keys, Signature.getInstance(algorithm), Signature.getInstance(algorithm, faster));
      check(keys, Signature.getInstance(algorithm, faster), Signature.getInstance(algorithm));
    }
  }

  private static void check(KeyPair keys, Signature signer, Signature verifier)
      throws GeneralSecurityException {
    byte[] input = NAME.getBytes(StandardCharsets.US_ASCII);
    signer.initSign(keys.getPrivate());
    signer.update(input);
    byte[] signature = signer.sign();
    verifier.initVerify(keys.getPublic());
    verifier.update(input);
    if (!verifier.verify(signature)) {
      throw new SignatureException(
          verifier.getProvider() + " does not accept a signature by " + signer.getProvider());
    }
  }
}
