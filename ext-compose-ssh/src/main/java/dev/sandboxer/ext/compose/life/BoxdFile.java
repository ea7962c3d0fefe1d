package dev.sandboxer.ext.compose.life;

import dev.sandboxer.ext.compose.host.Machine;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.Daemon;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.FileSums;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.host.ExecResult;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;

/** One copy of each boxd on a machine, named by its content, for all sandboxes there. */
final class BoxdFile {

  /** $1 the folder, which nobody else may change; what follows are names of boxds. */
  private static final String LOOK =
      """
      set -e
      mkdir -p -- "$1"; cd -P -- "$1"; [ "$(pwd -P)" = "$1" ] || { echo "$1 is reached by a link" >&2; exit 4; }
      [ -O . ] || { echo "$1 belongs to another user" >&2; exit 4; }
      chmod 700 .
      find . -maxdepth 1 -name 'boxd-*.*' -mmin +60 -delete
      docker version --format '{{.Server.Arch}}'
      id -u
      ls
      """;

  /** $1 the folder, $2 what was copied, $3 its name. */
  private static final String NAME =
      "cd -P -- \"$1\" && chmod 755 \"$2\" && mv -f -- \"$2\" \"$3\"";

  private static final int SHORT = 16;

  private final FileSums sums = new FileSums();

  /**
   * Where it is.
   *
   * @param path on the machine
   * @param root whether root logs in
   */
  record Placed(String path, boolean root) {}

  Placed place(Machine machine, Daemon daemon, Call call) throws ExtensionException {
    ExecResult seen = machine.run(LOOK, List.of(machine.shared()));
    if (seen.exited(4)) {
      throw new ExtensionException(ErrorCode.VALIDATION, Failures.said(seen));
    }
    List<String> lines = seen.stdout().text().lines().toList();
    if (!seen.exited(0) || lines.size() < 2) {
      throw Failures.engine(machine, seen);
    }
    Path binary = binary(daemon, lines.getFirst());
    try {
      String name = "boxd-" + sums.sha256(binary).substring(0, SHORT);
      if (!lines.subList(2, lines.size()).contains(name)) {
        // Several sandboxes may be the first one here.
        String own = name + "." + UUID.randomUUID();
        machine.files().upload(binary, machine.shared(), own, call);
        ExecResult made = machine.run(NAME, List.of(machine.shared(), own, name));
        if (!made.exited(0)) {
          throw new ExtensionException(ErrorCode.UNAVAILABLE, Failures.said(made));
        }
      }
      return new Placed(machine.shared() + "/" + name, lines.get(1).equals("0"));
    } catch (SshException e) {
      throw Machine.failure(e);
    } catch (IOException e) {
      throw new ExtensionException(ErrorCode.UNAVAILABLE, binary + " cannot be read: " + e);
    }
  }

  private static Path binary(Daemon daemon, String arch) throws ExtensionException {
    try {
      return daemon.binary("linux", arch);
    } catch (IllegalArgumentException e) {
      throw new ExtensionException(ErrorCode.UNAVAILABLE, String.valueOf(e.getMessage()));
    }
  }
}
