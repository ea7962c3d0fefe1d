package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.routing.Rejection.Reason;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.MountDelivery;
import dev.sandboxer.spi.SandboxSpec;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Whether a backend can do what a profile wants. What it cannot enforce makes it ineligible. */
@ApplicationScoped
class Eligibility {

  private final ExtensionRegistry registry;

  Eligibility(ExtensionRegistry registry) {
    this.registry = registry;
  }

  /**
   * Why not; empty if it can. A backend that is not loaded stays a candidate, as it may be loaded
   * again by the time it is asked.
   *
   * @param notEnforced limits of the descriptor that the host cannot enforce
   */
  List<Reason> reasons(ExtensionId extension, SandboxSpec spec, Set<Limit> notEnforced) {
    Optional<ExtensionDescriptor> descriptor = registry.descriptor(extension.text());
    if (descriptor.isEmpty()) {
      return List.of();
    }
    ExtensionDescriptor can = descriptor.get();
    String id = extension.text();
    List<Reason> reasons = new ArrayList<>();
    if (!can.isolationLevels().contains(spec.isolation())) {
      reasons.add(
          new Reason("isolation.level", misfit(spec.isolation(), id, can.isolationLevels())));
    }
    if (!can.networkModes().contains(spec.network().mode())) {
      reasons.add(
          new Reason("network.mode", misfit(spec.network().mode(), id, can.networkModes())));
    }
    if (can.mountDelivery() == MountDelivery.COPY
        && spec.mounts().stream().anyMatch(Mount.HostFolder.class::isInstance)) {
      reasons.add(
          new Reason(
              "mounts", id + " takes folders as copies, which the platform cannot make yet"));
    }
    Set<Limit> lacking = EnumSet.complementOf(enforced(can, notEnforced));
    lacking.removeAll(spec.bestEffort());
    lacking.forEach(limit -> reasons.add(new Reason(key(limit), lacking(limit, id))));
    return reasons;
  }

  private static EnumSet<Limit> enforced(ExtensionDescriptor can, Set<Limit> notEnforced) {
    EnumSet<Limit> enforced = EnumSet.noneOf(Limit.class);
    enforced.addAll(can.limits());
    if (!can.limits().contains(Limit.UID)) {
      enforced.add(Limit.UID); // users are then the backend's own business
    }
    enforced.removeAll(notEnforced);
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
