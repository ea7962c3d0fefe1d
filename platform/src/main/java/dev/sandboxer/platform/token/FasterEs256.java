package dev.sandboxer.platform.token;

import java.security.GeneralSecurityException;
import java.security.Provider;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jboss.logging.Logger;

/**
 * Finds AWS-LC, which computes ES256 several times as fast as the JDK. Its native library may be
 * for another machine than this, or lie where nothing may be executed; the JDK's then stays.
 */
final class FasterEs256 {
  private static final Logger LOG = Logger.getLogger(FasterEs256.class);
  private static final String NAME = "AmazonCorrettoCryptoProvider";

  private final Es256 es256;
  private final ClassLoader libraries;

  FasterEs256(Es256 es256, ClassLoader libraries) {
    this.es256 = es256;
    this.libraries = libraries;
  }

  /** Looks for it, which takes some tenths of a second and is best done aside. */
  void find() {
    try {
      ServiceLoader.load(Provider.class, libraries).stream()
          .filter(provider -> provider.type().getSimpleName().equals(NAME))
          .findFirst()
          .ifPresent(provider -> take(provider.get()));
    } catch (ServiceConfigurationError | LinkageError e) {
      LOG.infof("the JDK signs tokens, which is slower reason=%s", e);
    }
  }

  private void take(Provider provider) {
    try {
      es256.take(provider);
    } catch (GeneralSecurityException | RuntimeException e) {
      LOG.infof("the JDK signs tokens, which is slower reason=%s", e);
    }
  }
}
