package dev.sandboxer.platform.token;

import java.security.NoSuchAlgorithmException;
import java.security.Provider;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Offers of another JCA provider ES256 alone, in its two encodings. */
final class Es256Provider extends Provider {

  static final String NAME = "SandboxerES256";

  static final List<String> ALGORITHMS = List.of("SHA256withECDSA", Es256.ALGORITHM);

  private static final long serialVersionUID = 1;

  /**
   * Makes it.
   *
   * @throws NoSuchAlgorithmException if the other one has no ES256
   */
  Es256Provider(Provider source) throws NoSuchAlgorithmException {
    super(NAME, "1", "ES256 by " + source.getName());
    for (String algorithm : ALGORITHMS) {
      Service service = source.getService("Signature", algorithm);
      if (service == null) {
        throw new NoSuchAlgorithmException(source.getName() + " has no " + algorithm);
      }
      putService(new Delegated(service));
    }
  }

  private final class Delegated extends Service {

    private final Service service;

    Delegated(Service service) {
      super(
          Es256Provider.this,
          service.getType(),
          service.getAlgorithm(),
          service.getClassName(),
          List.of(),
          null);
      this.service = service;
    }

    @Override
    public Object newInstance(@Nullable Object parameter) throws NoSuchAlgorithmException {
      return service.newInstance(parameter);
    }

    @Override
    public boolean supportsParameter(Object parameter) {
      return service.supportsParameter(parameter);
    }
  }
}
