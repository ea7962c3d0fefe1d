package dev.sandboxer.platform.secret;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import dev.sandboxer.platform.access.Tenant;
import dev.sandboxer.spi.secret.SecretException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;

/** Files of the tenant's own folder; whoever can write there has the operator's home. */
record FileSecrets(Path root) implements TenantStore {

  @Override
  public byte[] read(Tenant tenant, String path) throws SecretException {
    Path file = root.resolve(tenant.name()).resolve(path);
    if (!Files.isRegularFile(file, NOFOLLOW_LINKS)) {
      throw SecretException.missing("there is no file %s".formatted(file));
    }
    try (InputStream in = Files.newInputStream(file, NOFOLLOW_LINKS)) {
      return in.readNBytes(Secrets.MOST_BYTES + 1);
    } catch (IOException e) {
      throw SecretException.away("%s cannot be read: %s".formatted(file, e.getMessage()), e);
    }
  }
}
