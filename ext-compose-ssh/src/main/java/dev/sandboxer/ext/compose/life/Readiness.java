package dev.sandboxer.ext.compose.life;

import dev.sandboxer.ext.compose.host.Machine;
import dev.sandboxer.ext.compose.project.ProjectFiles;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Progress;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.ssh.host.ExecResult;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Waits until each service is healthy, has ended well or simply runs, and boxd listens; then takes
 * boxd's socket out of the sandbox's reach. Once it was ready, only boxd counts: a service that
 * ended later is what the sandbox's user wants to look at.
 */
final class Readiness {

  private static final Duration LIMIT = Duration.ofMinutes(10);
  private static final Duration STEP = Duration.ofMillis(100);

  /** $1 folder. Says whether the socket is where nobody inside reaches it, and ready before. */
  private static final String LOCK =
      """
      cd -P -- "$1/run" || exit 0
      if [ -S in/s ] && [ ! -L in/s ] && [ ! -e s ]; then mv -f in/s s && chmod 711 in; fi
      [ ! -S s ] || [ -L s ] || echo socket
      [ ! -e ready ] || echo ready
      """;

  private final Labels labels;

  Readiness(Labels labels) {
    this.labels = labels;
  }

  Reachability await(Machine machine, SandboxIdentity identity, Call call)
      throws ExtensionException {
    long start = System.nanoTime();
    Map<String, String> reported = new HashMap<>();
    Optional<ReadyProbes> probes = Optional.empty();
    String folder = machine.folder(identity);
    while (true) {
      ExecResult lock = machine.run(LOCK, List.of(folder));
      boolean socket = lock.stdout().text().contains("socket");
      boolean before = lock.stdout().text().contains("ready");
      Listing seen = Listing.of(machine, labels, identity);
      Thing boxd = alive(machine, seen, identity);
      Optional<Thing> waiting =
          before ? Optional.empty() : waiting(machine, seen, identity, call, reported);
      if (socket && waiting.isEmpty() && machine.listens(folder + "/run/s")) {
        if (before) {
          return reachable(machine, folder, boxd);
        }
        if (probes.isEmpty()) {
          probes = Optional.of(ReadyProbes.of(machine, identity));
        }
        if (probes.get().passed(seen, boxd, call)) {
          machine.run(": >\"$1/run/ready\"", List.of(folder));
          return reachable(machine, folder, boxd);
        }
      }
      if (call.cancelled() || System.nanoTime() - start > LIMIT.toNanos()) {
        throw probes.isPresent() ? probes.get().late(seen) : late(machine, identity, waiting);
      }
      pause(identity);
    }
  }

  private static Reachability reachable(Machine machine, String folder, Thing boxd) {
    return Reachability.at(
            new DataplaneAddress.Streams(machine.opener(folder + "/run/s")), boxd.id())
        .withDescriptors(machine.descriptors(folder + "/" + ProjectFiles.PROJECT))
        .withNotEnforced(Set.of(Limit.UID));
  }

  private static Thing alive(Machine machine, Listing seen, SandboxIdentity identity)
      throws ExtensionException {
    Optional<Thing> boxd = seen.boxd(identity);
    if (boxd.isEmpty()) {
      ErrorCode code = ErrorCode.CRASH;
      if (seen.of(identity).findAny().isEmpty()) {
        throw new ExtensionException(code, "the sandbox is gone");
      }
      throw Failures.created(identity, code, "boxd's container is gone");
    }
    if (boxd.get().state().ended()) {
      throw Failures.service(machine, identity, boxd.get());
    }
    return boxd.get();
  }

  /** The first service that is not ready yet. */
  private static Optional<Thing> waiting(
      Machine machine,
      Listing seen,
      SandboxIdentity identity,
      Call call,
      Map<String, String> reported)
      throws ExtensionException {
    Optional<Thing> waiting = Optional.empty();
    for (Thing one : seen.containers(identity).toList()) {
      String state = one.state().shown();
      if (!state.equals(reported.put(one.service(), state))) {
        call.progress(new Progress("service", Map.of("service", one.service(), "state", state)));
      }
      if (one.state().bad()) {
        throw Failures.service(machine, identity, one);
      }
      if (!one.state().good() && waiting.isEmpty()) {
        waiting = Optional.of(one);
      }
    }
    return waiting;
  }

  private static ExtensionException late(
      Machine machine, SandboxIdentity identity, Optional<Thing> waiting)
      throws ExtensionException {
    String what =
        waiting.isEmpty()
            ? "boxd does not listen"
            : "service %s is %s%s"
                .formatted(
                    waiting.get().service(),
                    waiting.get().state().shown(),
                    Failures.logs(machine, waiting.get()));
    return Failures.created(identity, ErrorCode.TIMEOUT, "not ready in time: " + what);
  }

  private static void pause(SandboxIdentity identity) throws ExtensionException {
    try {
      Thread.sleep(STEP);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Failures.created(identity, ErrorCode.TIMEOUT, "the call was cancelled");
    }
  }
}
