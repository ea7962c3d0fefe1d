package dev.sandboxer.ext.e2b.life;

import dev.sandboxer.ext.e2b.cloud.Access;
import dev.sandboxer.ext.e2b.cloud.Account;
import dev.sandboxer.ext.e2b.cloud.Ended;
import dev.sandboxer.ext.e2b.cloud.Envd;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.Daemon;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.FileSums;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxSpec;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts boxd beside the template's own processes. Its files are root's; it runs as the template's
 * user, as what it starts does.
 */
final class Placement {

  /** By it envd finds the process again. */
  static final String TAG = "sandboxer-boxd";

  static final int PORT = 49980;
  static final String LOG = "/opt/sandboxer/log";

  private static final String BOXD = "/opt/sandboxer/boxd";
  private static final String CONFIG = "/opt/sandboxer/config.json";
  private static final String ARCH = "amd64";
  private static final int DAMAGED = 3;
  private static final int NO_USER = 4;

  /** $1 sum of boxd, $2 its path, $3 config, $4 log, $5 user; then pairs of a path and a size. */
  private static final String PREPARE =
      """
      printf '%s  %s\\n' "$1" "$2" | sha256sum -c >/dev/null || exit 3
      id -u "$5" >/dev/null || exit 4
      set -e
      chmod 755 "$2"; chmod 644 "$3"; : >"$4"; chown "$5" "$4"; chmod 600 "$4"
      mkdir -p /workspace /run/secrets /tmp; chown "$5" /workspace; user=$5
      mount -t tmpfs -o "size=1m,mode=0700,uid=$(id -u "$user"),gid=$(id -g "$user")" tmpfs /run/secrets
      shift 5
      while [ $# -gt 1 ]; do
        mkdir -p -- "$1"
        mount -t tmpfs -o "size=$2,mode=0755,uid=$(id -u "$user"),gid=$(id -g "$user")" tmpfs "$1"
        shift 2
      done
      """;

  /** $1 log; then the command. */
  private static final String START = "log=$1; shift; exec \"$@\" >>\"$log\" 2>&1";

  private final Envd envd;
  private final FileSums sums = new FileSums();

  Placement(Envd envd) {
    this.envd = envd;
  }

  /** Looks for the file before anything is made. */
  static Path binary(Daemon daemon) throws ExtensionException {
    try {
      return daemon.binary("linux", ARCH);
    } catch (IllegalArgumentException e) {
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE, Outcome.NOTHING_CREATED, String.valueOf(e.getMessage()), e);
    }
  }

  void place(
      Account account, Access access, Path binary, Daemon daemon, SandboxSpec spec, Call call)
      throws ExtensionException {
    try {
      envd.write(account, access, BOXD, BodyPublishers.ofFile(binary), call);
      envd.write(account, access, CONFIG, BodyPublishers.ofByteArray(daemon.config()), call);
      prepare(account, access, sums.sha256(binary), spec, call);
    } catch (IOException e) {
      throw unreadable(e);
    }
    List<String> command = new ArrayList<>(List.of(LOG, BOXD));
    command.addAll(daemon.arguments());
    command.addAll(List.of("--config", CONFIG, "--listen", "tcp:0.0.0.0:" + PORT));
    envd.start(account, access, Requests.user(spec), TAG, START, command, call);
  }

  private void prepare(Account account, Access access, String sum, SandboxSpec spec, Call call)
      throws ExtensionException {
    String user = Requests.user(spec);
    List<String> words = new ArrayList<>(List.of(sum, BOXD, CONFIG, LOG, user));
    for (Mount mount : spec.mounts()) {
      if (mount instanceof Mount.Tmpfs memory) {
        words.addAll(List.of(memory.mountPath(), Long.toString(memory.sizeBytes())));
      }
    }
    Ended ended = envd.run(account, access, Envd.ROOT, PREPARE, words, call);
    switch (ended.code()) {
      case 0 -> {}
      case DAMAGED ->
          throw failure(
              ErrorCode.UNAVAILABLE,
              "boxd did not arrive as it was sent, or the template has no sha256sum: "
                  + ended.output());
      case NO_USER ->
          throw failure(
              ErrorCode.VALIDATION,
              "the template has no user '%s'; options.user names another".formatted(user));
      default ->
          throw failure(
              ErrorCode.UNSUPPORTED,
              "the template cannot be prepared for boxd: %s (code %d)"
                  .formatted(ended.output(), ended.code()));
    }
  }

  private static ExtensionException unreadable(IOException e) {
    return new ExtensionException(
        ErrorCode.UNAVAILABLE, Outcome.UNKNOWN, "boxd's own file cannot be read: " + e, e);
  }

  private static ExtensionException failure(ErrorCode code, String message) {
    return new ExtensionException(code, Outcome.UNKNOWN, message, null);
  }
}
