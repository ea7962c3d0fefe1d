package dev.sandboxer.ext.compose.life;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.ext.compose.host.Machine;
import dev.sandboxer.ext.compose.project.ProjectFiles;
import dev.sandboxer.ext.compose.project.ReadyProbe;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Progress;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.ssh.host.ExecResult;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Asks what a profile lists under {@code ready}, one after the other, once all services are up. */
final class ReadyProbes {

  /** $1 file. */
  private static final String READ = "[ ! -e \"$1\" ] || cat -- \"$1\"";

  /** A container and a command. */
  private static final String ASK = "timeout -k 1 15 docker exec \"$@\" </dev/null 2>&1";

  private static final int NO_ANSWER = 124;
  private static final Duration REPORTED = Duration.ofSeconds(10);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final Machine machine;
  private final SandboxIdentity identity;
  private final Deque<ReadyProbe> left;
  private final long start = System.nanoTime();
  private long reported = start - REPORTED.toNanos();
  private String answer = "not asked yet";

  private ReadyProbes(Machine machine, SandboxIdentity identity, List<ReadyProbe> probes) {
    this.machine = machine;
    this.identity = identity;
    this.left = new ArrayDeque<>(probes);
  }

  /** Those that were stored when the project was copied. */
  static ReadyProbes of(Machine machine, SandboxIdentity identity) throws ExtensionException {
    String file = machine.folder(identity) + "/" + ProjectFiles.READY;
    String text = machine.run(READ, List.of(file)).stdout().text();
    try {
      return new ReadyProbes(
          machine,
          identity,
          text.isEmpty() ? List.of() : List.of(JSON.readValue(text, ReadyProbe[].class)));
    } catch (JsonProcessingException e) {
      throw Failures.created(identity, ErrorCode.UNAVAILABLE, file + " cannot be read: " + e);
    }
  }

  /**
   * Asks each one that is left, up to the first whose answer is not good.
   *
   * @return whether all have passed
   * @throws ExtensionException TIMEOUT if one had its time
   */
  boolean passed(Listing seen, Thing boxd, Call call) throws ExtensionException {
    while (!left.isEmpty()) {
      ReadyProbe probe = left.getFirst();
      Thing service = service(seen, probe);
      List<String> words = new ArrayList<>(List.of(probe.own() ? service.id() : boxd.id()));
      words.addAll(probe.command());
      ExecResult result = machine.run(ASK, words);
      if (result.exited(0)) {
        left.removeFirst();
        report(probe, "passed", call);
        continue;
      }
      answer = result.exited(NO_ANSWER) ? "no answer" : Failures.answer(result);
      if (System.nanoTime() - start > Duration.ofSeconds(probe.seconds()).toNanos()) {
        throw late(seen);
      }
      if (System.nanoTime() - reported > REPORTED.toNanos()) {
        report(probe, answer, call);
      }
      return false;
    }
    return true;
  }

  private void report(ReadyProbe probe, String state, Call call) {
    reported = System.nanoTime();
    call.progress(
        new Progress(
            "probe", Map.of("service", probe.service(), "probe", probe.shown(), "state", state)));
  }

  /** Says which one has not passed. */
  ExtensionException late(Listing seen) throws ExtensionException {
    ReadyProbe probe = left.getFirst();
    return Failures.created(
        identity,
        ErrorCode.TIMEOUT,
        "service %s is not ready: %s did not pass within %d s (last answer: %s)%s"
            .formatted(
                probe.service(),
                probe.shown(),
                Duration.ofNanos(System.nanoTime() - start).toSeconds(),
                answer,
                Failures.logs(machine, service(seen, probe))));
  }

  private Thing service(Listing seen, ReadyProbe probe) throws ExtensionException {
    Optional<Thing> found =
        seen.containers(identity).filter(one -> one.service().equals(probe.service())).findFirst();
    if (found.isEmpty()) {
      throw Failures.created(
          identity, ErrorCode.CRASH, "service %s is gone".formatted(probe.service()));
    }
    return found.get();
  }
}
