package dev.sandboxer.platform.secret;

import dev.sandboxer.platform.access.Tenant;
import dev.sandboxer.platform.installation.Environment;
import dev.sandboxer.spi.secret.SecretException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/** Variables of the platform's environment, only those whose name says that they are for this. */
record EnvironmentSecrets(Environment environment) implements TenantStore {

  private static final String PREFIX = "SANDBOXER_SECRET_";

  @Override
  public byte[] read(Tenant tenant, String path) throws SecretException {
    @Nullable String value = environment.get(PREFIX + path);
    if (value == null || value.isEmpty()) {
      throw SecretException.missing(
          "the platform's environment has no variable %s%s".formatted(PREFIX, path));
    }
    return value.getBytes(StandardCharsets.UTF_8);
  }
}
