package dev.sandboxer.platform.api.control;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sandboxer.platform.extension.CallLimits;
import dev.sandboxer.platform.extension.ExtensionCalls;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Probing;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** What trying a backend found; kept for a minute, as a try makes a real sandbox. */
@ApplicationScoped
class ExtensionProbes {

  private static final Duration KEPT = Duration.ofMinutes(1);
  private static final CallLimits LIMITS = CallLimits.of(Duration.ofSeconds(15));

  private final ExtensionCalls calls;
  private final Hosts hosts;
  private final InstantSource clock;
  private final Cache<String, Optional<ProbeView>> kept =
      Caffeine.newBuilder().expireAfterWrite(KEPT).executor(Runnable::run).build();

  ExtensionProbes(ExtensionCalls calls, Hosts hosts, java.time.Clock clock) {
    this.calls = calls;
    this.hosts = hosts;
    this.clock = clock;
  }

  /** The last try, or a new one; null where the backend cannot try. */
  @Nullable ProbeView of(String extensionId) {
    return kept.get(extensionId, this::probe).orElse(null);
  }

  private Optional<ProbeView> probe(String extensionId) {
    try {
      Optional<Probing.Probe> probe =
          calls.call(
              extensionId,
              "probe",
              LIMITS,
              (extension, call) ->
                  extension instanceof Probing probing
                      ? Optional.of(probing.probe(hosts.node().host(), call))
                      : Optional.empty());
      return probe.map(found -> view(found, clock.instant()));
    } catch (ExtensionException e) {
      CheckView failed = new CheckView("probe", false, String.valueOf(e.getMessage()), null);
      return Optional.of(new ProbeView(false, List.of(), List.of(failed), clock.instant()));
    }
  }

  private static ProbeView view(Probing.Probe probe, Instant at) {
    List<String> open =
        probe.notEnforced().stream()
            .sorted()
            .map(Limit::name)
            .map(name -> name.toLowerCase(Locale.ROOT))
            .toList();
    List<CheckView> checks =
        probe.checks().stream()
            .map(check -> new CheckView(check.name(), check.ok(), check.detail(), check.remedy()))
            .toList();
    return new ProbeView(probe.usable(), open, checks, at);
  }

  @Schema(name = "Probe")
  record ProbeView(
      boolean usable, List<String> notEnforced, List<CheckView> checks, Instant probedAt) {}

  @Schema(name = "ProbeCheck")
  record CheckView(String name, boolean ok, String detail, @Nullable String remedy) {}
}
