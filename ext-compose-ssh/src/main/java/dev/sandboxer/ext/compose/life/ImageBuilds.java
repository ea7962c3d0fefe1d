package dev.sandboxer.ext.compose.life;

import dev.sandboxer.ext.compose.host.Machine;
import dev.sandboxer.ext.compose.project.Build;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Progress;
import dev.sandboxer.spi.Resources;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.image.ImagePolicy.Pull;
import dev.sandboxer.ssh.host.ExecResult;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Builds the images of a project, one after the other, by the Engine's own builder: it runs no
 * program of a registry, knows limits, and each layer has our labels as soon as it is there. Images
 * get no name, so that nobody else can use them and none is overwritten.
 */
final class ImageBuilds {

  private static final int TIMED_OUT = 124;
  private static final int BUSY = 75;
  private static final int TRIGGERS = 4;
  private static final String SECONDS = "" + Provisioning.LONGEST.toSeconds();
  private static final Duration REPORTED = Duration.ofSeconds(30);
  private static final BigDecimal PERIOD = new BigDecimal(100_000);

  /**
   * Fetches images that others are built from. One with ONBUILD is refused, because its
   * instructions were not checked. $1 seconds, $2 when they are fetched, then their names.
   */
  private static final String FETCH =
      """
      s=$1 w=$2; shift 2
      for i; do
        [ "$w" != always ] && docker image inspect "$i" >/dev/null 2>&1 || [ "$w" = never ] || timeout -k 5 "$s" docker pull -q "$i" >/dev/null || exit
        t=$(docker image inspect --format '{{with .Config}}{{range .OnBuild}}{{.}} {{end}}{{end}}' "$i") || exit
        [ -z "$t" ] || { echo "$i has ONBUILD: $t" >&2; exit 4; }
      done
      """;

  /**
   * One at a time in a folder, and not for ever, as with {@code up}. The user's own settings of the
   * Engine's client have proxies, which would be seen inside. $1 folder, $2 seconds, then what the
   * builder is given; it reads the Dockerfile from the standard input.
   */
  private static final String BUILD =
      """
      f=$1 s=$2; shift 2
      echo $$ >"$f/up.pid"
      {
        flock -E 75 -w 20 "$f" timeout --foreground -k 5 "$s" env DOCKER_BUILDKIT=0 DOCKER_CONFIG="$f/none" docker build --network none --force-rm --iidfile "$f/image" -f - "$@" 2>&1
        echo $? >"$f/code"
      } | tail -c 8000 >&2
      rm -f "$f/up.pid"
      read -r code <"$f/code" && [ "$code" = 0 ] && exec cat "$f/image"
      exit "${code:-1}"
      """;

  private final Machine machine;
  private final SandboxIdentity identity;
  private final Resources resources;
  private final Call call;

  ImageBuilds(Machine machine, SandboxIdentity identity, Resources resources, Call call) {
    this.machine = machine;
    this.identity = identity;
    this.resources = resources;
    this.call = call;
  }

  /** Ids of the images, by the keys of their builds. */
  Map<String, String> make(Map<String, Build> builds, Pull pull) throws ExtensionException {
    Set<String> bases = new TreeSet<>();
    builds.values().forEach(build -> bases.addAll(build.bases()));
    if (!bases.isEmpty()) {
      fetch(bases, pull);
    }
    Map<String, String> ids = new HashMap<>();
    for (Map.Entry<String, Build> one : builds.entrySet()) {
      ids.put(one.getKey(), build(one.getValue()));
    }
    return ids;
  }

  private void fetch(Set<String> bases, Pull pull) throws ExtensionException {
    List<String> words = new ArrayList<>(List.of(SECONDS, pull.name().toLowerCase(Locale.ROOT)));
    words.addAll(bases);
    ExecResult result = run(FETCH, words, Optional.empty(), Progress.of("base_images"));
    if (!result.exited(0)) {
      throw Failures.created(
          identity,
          result.exited(TRIGGERS) ? ErrorCode.VALIDATION : ErrorCode.IMAGE_PULL,
          "an image that services are built from cannot be used: " + Failures.said(result));
    }
  }

  private String build(Build build) throws ExtensionException {
    String memory = Long.toString(resources.memoryBytes());
    List<String> words = new ArrayList<>(List.of(machine.folder(identity), SECONDS));
    words.addAll(List.of("--memory", memory, "--memory-swap", memory));
    words.addAll(List.of("--cpu-period", PERIOD.toPlainString(), "--cpu-quota"));
    words.add(resources.cpus().multiply(PERIOD).toBigInteger().toString());
    build.args().forEach((name, value) -> words.addAll(List.of("--build-arg", name + "=" + value)));
    words.add(build.context());
    ExecResult result =
        run(
            BUILD,
            words,
            Optional.of(build.dockerfile().getBytes(StandardCharsets.UTF_8)),
            new Progress("build", Map.of("service", build.service())));
    if (!result.exited(0)) {
      boolean late = result.exited(TIMED_OUT) || result.exited(BUSY);
      throw Failures.build(identity, build.service(), late, Failures.said(result));
    }
    return result.stdout().text().strip();
  }

  /**
   * Reports progress for as long as it runs, which the script bounds: builders may print nothing
   * for minutes.
   */
  private ExecResult run(
      String script, List<String> words, Optional<byte[]> stdin, Progress progress)
      throws ExtensionException {
    call.progress(progress);
    Thread working = Thread.ofVirtual().start(() -> report(progress));
    try {
      return machine.run(script, words, stdin);
    } finally {
      working.interrupt();
    }
  }

  private void report(Progress progress) {
    try {
      while (true) {
        Thread.sleep(REPORTED); // until the next report; the end of the command interrupts it
        call.progress(progress);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
