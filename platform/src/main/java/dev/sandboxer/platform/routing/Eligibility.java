package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.MountDelivery;
import dev.sandboxer.spi.SandboxSpec;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Whether a backend can do what a profile wants. What it cannot enforce makes it ineligible. */
@ApplicationScoped
class Eligibility {

  private final ExtensionRegistry registry;
  private final HostCapabilities hostLimits;

  Eligibility(ExtensionRegistry registry, HostCapabilities hostLimits) {
    this.registry = registry;
    this.hostLimits = hostLimits;
  }

  /** Finds out what has to be tried for this spec. Blocks; never inside a transaction. */
  void learn(String extensionId, SandboxSpec spec) {
    // What is no container lives on what this host lends; an engine knows its own limits.
    if (spec.isolation() == IsolationLevel.PROCESS
        && !spec.bestEffort().containsAll(EnumSet.allOf(Limit.class))) {
      hostLimits.learn(extensionId);
    }
  }

  /**
   * Why not: by the profile's key, with which each reason begins as well; empty if it can. A
   * backend that is not loaded is told by the worker, as it may be back then.
   */
  Map<String, String> reasons(String extensionId, SandboxSpec spec) {
    Optional<ExtensionDescriptor> descriptor = registry.descriptor(extensionId);
    if (descriptor.isEmpty()) {
      return Map.of();
    }
    ExtensionDescriptor can = descriptor.get();
    Map<String, String> reasons = new LinkedHashMap<>();
    if (!can.isolationLevels().contains(spec.isolation())) {
      reasons.put("isolation.level", misfit(spec.isolation(), extensionId, can.isolationLevels()));
    }
    if (!can.networkModes().contains(spec.network().mode())) {
      reasons.put("network.mode", misfit(spec.network().mode(), extensionId, can.networkModes()));
    }
    if (can.mountDelivery() == MountDelivery.COPY
        && spec.mounts().stream().anyMatch(Mount.HostFolder.class::isInstance)) {
      reasons.put(
          "mounts", extensionId + " takes folders as copies, which the platform cannot make yet");
    }
    Set<Limit> lacking = EnumSet.complementOf(enforced(can, extensionId));
    lacking.removeAll(spec.bestEffort());
    lacking.forEach(limit -> reasons.put(key(limit), lacking(limit, extensionId)));
    reasons.replaceAll("%s: %s"::formatted);
    return reasons;
  }

  private EnumSet<Limit> enforced(ExtensionDescriptor can, String extensionId) {
    EnumSet<Limit> enforced = EnumSet.noneOf(Limit.class);
    enforced.addAll(can.limits());
    if (!can.limits().contains(Limit.UID)) {
      enforced.add(Limit.UID); // users are then the backend's own business
    }
    enforced.removeAll(hostLimits.notEnforced(extensionId));
    return enforced;
  }

  private static String misfit(Enum<?> wanted, String extensionId, Set<? extends Enum<?>> offered) {
    return "it is %s and %s offers %s"
        .formatted(
            text(wanted),
            extensionId,
            offered.stream().map(Eligibility::text).sorted().collect(Collectors.joining(", ")));
  }

  private static String key(Limit limit) {
    return limit == Limit.UID ? "best_effort" : "resources." + text(limit);
  }

  private static String lacking(Limit limit, String extensionId) {
    return "%s cannot enforce %s here; 'best_effort: [%s]' in the profile accepts that"
        .formatted(extensionId, text(limit), text(limit));
  }

  private static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
