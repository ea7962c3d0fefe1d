package dev.sandboxer.platform.secret;

import dev.sandboxer.platform.access.Tenant;
import dev.sandboxer.spi.secret.SecretException;

/** Reads secrets that were granted. */
@FunctionalInterface
interface TenantStore {

  /**
   * Reads one secret as it is now.
   *
   * @param tenant that it was granted to
   * @param path of its reference
   */
  byte[] read(Tenant tenant, String path) throws SecretException;
}
