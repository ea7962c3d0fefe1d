package dev.sandboxer.platform.api.control;

import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.extension.Probes;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Probing;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** What trying a backend found, as callers see it; at most a minute old. */
@ApplicationScoped
class ExtensionProbes {

  private static final Duration AGE = Duration.ofMinutes(1);

  private final Probes probes;
  private final Hosts hosts;
  private final ExtensionRegistry registry;

  ExtensionProbes(Probes probes, Hosts hosts, ExtensionRegistry registry) {
    this.probes = probes;
    this.hosts = hosts;
    this.registry = registry;
  }

  /**
   * The last try on this node's host, or a new one; null where the backend cannot try, or is one of
   * other machines and has none of them here.
   */
  @Nullable ProbeView of(String extensionId) {
    Probes.Probed probed = probes.of(extensionId, hosts.node().host(), AGE);
    boolean elsewhere =
        registry.descriptor(extensionId).filter(can -> !can.nodeBound()).isPresent();
    if (elsewhere && probed.probe().filter(found -> !found.usable()).isPresent()) {
      return null;
    }
    String failure = probed.failure();
    if (failure != null) {
      CheckView failed = new CheckView("probe", false, failure, null);
      return new ProbeView(false, List.of(), List.of(failed), probed.at());
    }
    return probed.probe().map(found -> view(found, probed.at())).orElse(null);
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
