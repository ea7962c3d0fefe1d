package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.extension.CallLimits;
import dev.sandboxer.platform.extension.ExtensionCalls;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Probing;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Which limits this host cannot enforce, by probing each backend now and then. */
@ApplicationScoped
class HostCapabilities {

  private static final Duration KEPT = Duration.ofMinutes(10);
  private static final CallLimits LIMITS = CallLimits.of(Duration.ofSeconds(15));

  private final ExtensionCalls calls;
  private final Hosts hosts;
  private final Map<String, Known> known = new ConcurrentHashMap<>();

  HostCapabilities(ExtensionCalls calls, Hosts hosts) {
    this.calls = calls;
    this.hosts = hosts;
  }

  private record Known(Set<Limit> notEnforced, long until) {}

  /** Tries the backend if that was not done lately. Blocks; never inside a transaction. */
  void learn(String extensionId) {
    known.compute(
        extensionId,
        (id, before) ->
            before != null && System.nanoTime() - before.until() < 0
                ? before
                : new Known(probe(id), System.nanoTime() + KEPT.toNanos()));
  }

  /** What was found; empty if nothing is known. */
  Set<Limit> notEnforced(String extensionId) {
    Known found = known.get(extensionId);
    return found == null ? Set.of() : found.notEnforced();
  }

  private Set<Limit> probe(String extensionId) {
    try {
      return calls.call(
          extensionId,
          "probe",
          LIMITS,
          (extension, call) -> {
            if (!(extension instanceof Probing probing)) {
              return Set.of();
            }
            Probing.Probe probe = probing.probe(hosts.node().host(), call);
            return probe.usable() ? probe.notEnforced() : Set.of();
          });
    } catch (ExtensionException e) {
      return Set.of(); // provision will say what is wrong
    }
  }
}
