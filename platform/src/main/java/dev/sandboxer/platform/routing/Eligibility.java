package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.extension.LoadedExtension;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.SandboxSpec;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Whether a backend can do what a profile wants. What it can not enforce makes it ineligible. */
@ApplicationScoped
class Eligibility {

  private final ExtensionRegistry registry;
  private final HostLimits hostLimits;

  Eligibility(ExtensionRegistry registry, HostLimits hostLimits) {
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

  /** Why not, each reason beginning with the profile's key; empty if it can. */
  List<String> reasons(String extensionId, SandboxSpec spec) {
    Optional<ExtensionDescriptor> descriptor = descriptor(extensionId);
    if (descriptor.isEmpty()) {
      return List.of(); // it may be back when the worker comes to it
    }
    ExtensionDescriptor can = descriptor.get();
    List<String> reasons = new ArrayList<>();
    if (!can.isolationLevels().contains(spec.isolation())) {
      reasons.add(
          "isolation.level: it is %s and %s offers %s"
              .formatted(text(spec.isolation()), extensionId, texts(can.isolationLevels())));
    }
    if (!can.networkModes().contains(spec.network().mode())) {
      reasons.add(
          "network.mode: it is %s and %s offers %s"
              .formatted(text(spec.network().mode()), extensionId, texts(can.networkModes())));
    }
    Set<Limit> lacking = EnumSet.complementOf(enforced(can, extensionId));
    lacking.removeAll(spec.bestEffort());
    lacking.forEach(limit -> reasons.add(lacking(limit, extensionId)));
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

  private static String lacking(Limit limit, String extensionId) {
    String key = limit == Limit.UID ? "best_effort" : "resources." + text(limit);
    return "%s: %s can not enforce %s here; 'best_effort: [%s]' in the profile accepts that"
        .formatted(key, extensionId, text(limit), text(limit));
  }

  private Optional<ExtensionDescriptor> descriptor(String id) {
    return registry.list().stream()
        .filter(extension -> extension.id().equals(id))
        .map(LoadedExtension::descriptor)
        .filter(Objects::nonNull)
        .findFirst();
  }

  private static List<String> texts(Collection<? extends Enum<?>> values) {
    return values.stream().map(Eligibility::text).sorted().toList();
  }

  private static String text(Enum<?> value) {
    return value.name().toLowerCase(Locale.ROOT);
  }
}
