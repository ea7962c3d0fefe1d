package dev.sandboxer.ext.compose.life;

import dev.sandboxer.ext.compose.host.Machine;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.secret.SecretFile;
import dev.sandboxer.ssh.host.ExecResult;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Secrets of services, in the memory of the machine. */
final class SecretFolder {

  /**
   * Of each sandbox, in teardown's script as well: what follows is the installation and the name.
   */
  static final String PREFIX = "/dev/shm/sandboxer-";

  /** $1 folder. Others could have made one of that name. */
  private static final String MAKE = "rm -rf -- \"$1\"; mkdir -m 700 -- \"$1\"";

  /** $1 folder, $2 name. Users of images are not the one who logs in. */
  private static final String WRITE = "cat >\"$1/$2\" && chmod 444 -- \"$1/$2\"";

  private SecretFolder() {}

  static String of(Machine machine, SandboxIdentity identity) {
    String base = machine.base();
    return PREFIX + base.substring(base.lastIndexOf('/') + 1) + "-" + identity.name();
  }

  /** Writes those that the project mounts. */
  static void write(
      Machine machine, SandboxIdentity identity, List<SecretFile> secrets, byte[] effective)
      throws ExtensionException {
    String folder = of(machine, identity);
    String project = new String(effective, StandardCharsets.UTF_8);
    List<SecretFile> mounted =
        secrets.stream()
            .filter(secret -> project.contains("\"" + folder + "/" + secret.name() + "\""))
            .toList();
    if (!mounted.isEmpty()) {
      check(machine.run(MAKE, List.of(folder)));
    }
    for (SecretFile secret : mounted) {
      check(machine.run(WRITE, List.of(folder, secret.name()), Optional.of(secret.content())));
    }
  }

  private static void check(ExecResult result) throws ExtensionException {
    if (!result.exited(0)) {
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE, "secrets cannot be written: " + Failures.said(result));
    }
  }
}
