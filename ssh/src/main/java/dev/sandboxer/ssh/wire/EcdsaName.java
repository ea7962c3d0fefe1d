package dev.sandboxer.ssh.wire;

import java.security.InvalidKeyException;
import java.security.Key;
import java.security.KeyFactory;
import java.security.KeyFactorySpi;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.Provider;
import java.security.PublicKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.KeySpec;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The JDK's factory of keys on elliptic curves, by the name under which sshj looks for it. This is
 * all that it would need of BouncyCastle.
 */
final class EcdsaName extends Provider {

  private static final long serialVersionUID = 1L;

  EcdsaName() {
    super("SandboxerSsh", "1", "KeyFactory ECDSA, which is the JDK's EC");
    putService(
        new Service(this, "KeyFactory", "ECDSA", Keys.class.getName(), List.of(), Map.of()) {
          @Override
          public Object newInstance(@Nullable Object parameter) throws NoSuchAlgorithmException {
            return new Keys(KeyFactory.getInstance("EC"));
          }
        });
  }

  private static final class Keys extends KeyFactorySpi {

    private final KeyFactory factory;

    private Keys(KeyFactory factory) {
      this.factory = factory;
    }

    @Override
    protected PublicKey engineGeneratePublic(KeySpec spec) throws InvalidKeySpecException {
      return factory.generatePublic(spec);
    }

    @Override
    protected PrivateKey engineGeneratePrivate(KeySpec spec) throws InvalidKeySpecException {
      return factory.generatePrivate(spec);
    }

    @Override
    protected <T extends KeySpec> T engineGetKeySpec(Key key, Class<T> type)
        throws InvalidKeySpecException {
      return factory.getKeySpec(key, type);
    }

    @Override
    protected Key engineTranslateKey(Key key) throws InvalidKeyException {
      return factory.translateKey(key);
    }
  }
}
