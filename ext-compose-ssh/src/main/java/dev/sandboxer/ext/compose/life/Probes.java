package dev.sandboxer.ext.compose.life;

import dev.sandboxer.ext.compose.host.Machine;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Probing.Check;
import dev.sandboxer.spi.Probing.Probe;
import dev.sandboxer.spi.Probing.Room;
import dev.sandboxer.ssh.SshException;
import dev.sandboxer.ssh.host.ExecResult;
import java.math.BigDecimal;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Tries a machine step by step. */
final class Probes {

  /** $1 compose, $2 folder. Each line is a name and what was found. */
  private static final String SCRIPT =
      """
      echo "user $(id -un)"
      for p in tar dd df flock timeout setsid head stat xargs; do command -v $p >/dev/null || m="$m $p"; done
      echo "programs$m"
      echo "engine $(docker version --format '{{.Server.Version}} {{.Server.Arch}}' 2>&1 | tail -n 1)"
      echo "limits $(docker info --format '{{.MemoryLimit}} {{.SwapLimit}} {{.CPUCfsQuota}} {{.PidsLimit}}' 2>/dev/null)"
      echo "room $(docker info --format '{{.NCPU}} {{.MemTotal}}' 2>/dev/null)"
      echo "compose $($1 version --short 2>&1 | tail -n 1)"
      echo "folder $(mkdir -p -- "$2" 2>&1 && cd -P -- "$2" && [ "$(pwd -P)" = "$2" ] && [ -O . ] && : >.probe && rm .probe && echo ok)"
      echo "clock $(date +%s)"
      echo "disk $(df -Pk -- "$2" 2>/dev/null | awk 'NR == 2 { print int($4 / 1024) }')"
      """;

  private static final int LEAST_MIB = 512;

  /** Tokens are good for minutes, and boxd reads the machine's clock. */
  private static final int CLOCK_SECONDS = 30;

  private final List<Check> checks = new ArrayList<>();

  private Probes() {}

  static Probe unusable(ExtensionException e) {
    boolean key =
        e.getCause() instanceof SshException failure
            && failure.kind() == SshException.Kind.HOST_KEY_UNKNOWN;
    String message = String.valueOf(e.getMessage());
    Check check =
        key
            ? new Check("host_key", false, message, "settings.host_key of the host pins it")
            : new Check("ssh", false, message, null);
    return new Probe(false, Set.of(), List.of(check));
  }

  static Probe of(Machine machine, InstantSource clock) throws ExtensionException {
    ExecResult result = machine.run(SCRIPT, List.of(machine.compose(), machine.shared()));
    Map<String, String> found = new HashMap<>();
    result
        .stdout()
        .text()
        .lines()
        .forEach(
            line -> {
              String[] parts = line.split(" ", 2);
              found.put(parts[0], parts.length > 1 ? parts[1].strip() : "");
            });
    return new Probes().judge(machine, found, clock.instant());
  }

  private Probe judge(Machine machine, Map<String, String> found, Instant now)
      throws ExtensionException {
    checks.add(new Check("ssh", true, machine.name() + " as " + found.get("user"), null));
    check(
        found, "programs", String::isEmpty, "install what is missing: coreutils, util-linux, tar");
    check(
        found,
        "engine",
        text -> text.matches("(2[0-9]|[3-9][0-9])\\.[0-9].* (amd64|arm64)"),
        "install Docker Engine 20.10 or later there, and put the user into its group");
    check(
        found,
        "limits",
        "true true true true"::equals,
        "give the Engine the control groups it lacks");
    check(
        found,
        "compose",
        text -> text.matches("v?([2-9]|[1-9][0-9])\\.[0-9].*"),
        "install Docker Compose 2 or later there");
    check(found, "folder", "ok"::equals, "let the user write in settings.remote_dir");
    check(
        found,
        "disk",
        text -> text.matches("[0-9]{1,15}") && Long.parseLong(text) >= LEAST_MIB,
        "free some space on that disk");
    clock(found.getOrDefault("clock", ""), now);
    boolean streams = machine.listensToEngine();
    checks.add(
        new Check(
            "streams",
            streams,
            streams ? "sockets are reached through SSH" : "no stream to the Docker socket",
            streams
                ? null
                : "AllowTcpForwarding yes and AllowStreamLocalForwarding yes in sshd_config"));
    Probe probe =
        new Probe(checks.stream().allMatch(Check::ok), Set.of(), checks).withRuntimes(Set.of());
    String[] room = found.getOrDefault("room", "").split(" ", -1);
    return room.length == 2 && probe.usable()
        ? probe.withRoom(new Room(new BigDecimal(room[0]), Long.parseLong(room[1])))
        : probe;
  }

  private void clock(String text, Instant now) {
    long ahead =
        text.matches("[0-9]{1,15}") ? Long.parseLong(text) - now.getEpochSecond() : Long.MAX_VALUE;
    boolean ok = Math.abs(ahead) <= CLOCK_SECONDS;
    checks.add(
        new Check(
            "clock",
            ok,
            ok
                ? "clock: as here"
                : "clock: %d s %s of the platform's"
                    .formatted(Math.abs(ahead), ahead > 0 ? "ahead" : "behind"),
            ok ? null : "keep both clocks right by NTP"));
  }

  private void check(
      Map<String, String> found, String name, Predicate<String> good, @Nullable String remedy) {
    String text = found.getOrDefault(name, "");
    boolean ok = good.test(text);
    String shown = text.isEmpty() ? (ok ? "all" : "no answer") : text;
    checks.add(new Check(name, ok, name + ": " + shown, ok ? null : remedy));
  }
}
