package dev.sandboxer.ext.nsjail;

import dev.sandboxer.spi.Limit;
import dev.sandboxer.tck.Environment;
import dev.sandboxer.tck.ExtensionTck;
import java.util.EnumSet;
import java.util.Set;

/** The promises of every extension, on real jails. */
class NsjailTckIT extends ExtensionTck {

  @Override
  protected Environment environment() {
    boolean root = "root".equals(System.getProperty("user.name"));
    return Environment.of(NsjailProvider.class)
        .setting("path", System.getenv().getOrDefault("SANDBOXER_NSJAIL", ""))
        .bestEffort(root ? Set.of() : EnumSet.of(Limit.UID, Limit.MEMORY, Limit.PIDS, Limit.CPUS));
  }
}
