package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.host.Admission;
import dev.sandboxer.platform.host.Host;
import dev.sandboxer.platform.mount.MountRules;
import dev.sandboxer.platform.routing.Rejection.Reason;
import dev.sandboxer.platform.routing.Routing.Require;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.MountDelivery;
import dev.sandboxer.spi.NetworkMode;
import dev.sandboxer.spi.Resources;
import dev.sandboxer.spi.SandboxSpec;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Why a place cannot run a sandbox; every reason names the key of the profile that would change it.
 * What a backend cannot enforce makes it ineligible.
 */
final class Eligibility {

  private static final String CANDIDATES = "routing.candidates";
  private static final String ARCH = "arch";

  private Eligibility() {}

  static List<Reason> reasons(Place place, SandboxSpec spec, Routing routing) {
    List<Reason> reasons = new ArrayList<>();
    // A backend that is not loaded stays a candidate: it may be loaded again by the time of the
    // try.
    @Nullable ExtensionDescriptor can = place.can();
    if (can != null) {
      abilities(can, place, spec, reasons);
      required(can, place.host(), routing.require(), reasons);
      if (routing.suspendIdle() && !place.suspends()) {
        never(reasons, "on_idle", "it is suspend and %s cannot".formatted(can.id()));
      }
    }
    place.elsewhere().ifPresent(why -> never(reasons, "mounts", why));
    standing(place, spec.resources(), reasons);
    @Nullable String tooDear = place.tooDear();
    if (tooDear != null) {
      reasons.add(new Reason("max_cost", tooDear, false));
    }
    return reasons;
  }

  private static void abilities(
      ExtensionDescriptor can, Place place, SandboxSpec spec, List<Reason> reasons) {
    if (!can.isolationLevels().contains(spec.isolation())) {
      never(reasons, "isolation.level", misfit(spec.isolation(), can.id(), can.isolationLevels()));
    }
    @Nullable String runtime = spec.runtime();
    if (runtime != null) {
      place
          .runtimes()
          .filter(there -> !there.contains(runtime))
          .ifPresent(
              there -> never(reasons, "isolation.runtime", noRuntime(runtime, can.id(), there)));
    }
    // What a backend without a network cannot give, the platform's proxy does.
    if (!can.networkModes().contains(spec.network().mode())
        && !can.networkModes().contains(NetworkMode.NONE)) {
      never(reasons, "network.mode", misfit(spec.network().mode(), can.id(), can.networkModes()));
    }
    if (can.mountDelivery(place.host().ref()) == MountDelivery.COPY) {
      spec.mounts().stream()
          .filter(Mount.HostFolder.class::isInstance)
          .map(Mount::mountPath)
          .filter(path -> !MountRules.roomForCopies(path))
          .findFirst()
          .ifPresent(path -> never(reasons, "mounts", noRoom(path, can.id())));
    }
    Set<Limit> lacking = EnumSet.complementOf(enforced(can, place.notEnforced()));
    lacking.removeAll(spec.bestEffort());
    lacking.forEach(limit -> never(reasons, key(limit), lacking(limit, can.id())));
  }

  private static String noRuntime(String wanted, String extensionId, Set<String> there) {
    return there.isEmpty()
        ? "it is %s and %s takes no runtime".formatted(wanted, extensionId)
        : "it is %s and %s there has %s".formatted(wanted, extensionId, listed(there));
  }

  private static String noRoom(String path, String extensionId) {
    return "%s takes folders as copies, which need a place below /workspace or /tmp and not '%s'"
        .formatted(extensionId, path);
  }

  private static void required(
      ExtensionDescriptor can, Host host, Require require, List<Reason> reasons) {
    if (require.hosting() != null && require.hosting() != can.hosting()) {
      never(
          reasons,
          "routing.require.hosting",
          "it is %s and %s is %s"
              .formatted(text(require.hosting()), can.id(), text(can.hosting())));
    }
    if (require.persistence() != null
        && require.persistence().compareTo(can.persistence(host.ref())) > 0) {
      never(
          reasons,
          "routing.require.persistence",
          "it is %s and %s keeps %s"
              .formatted(text(require.persistence()), can.id(), text(can.persistence(host.ref()))));
    }
    if (require.region() != null && !require.region().equals(host.region())) {
      never(
          reasons,
          "routing.require.region",
          "it is %s and the host's is %s".formatted(require.region(), shown(host.region())));
    }
    if (require.arch() != null && !architectures(can, host).contains(require.arch())) {
      never(
          reasons,
          "routing.require.arch",
          "it is %s and %s there has %s"
              .formatted(require.arch(), can.id(), listed(architectures(can, host))));
    }
    require
        .labels()
        .forEach(
            (label, value) -> {
              @Nullable String there = host.labels().get(label);
              if (!value.equals(there)) {
                never(
                    reasons,
                    "routing.require.labels." + label,
                    "it is %s and the host's is %s".formatted(value, shown(there)));
              }
            });
  }

  /** The host's label, where it has one, else all that the backend can. */
  private static Set<String> architectures(ExtensionDescriptor can, Host host) {
    @Nullable String own = host.labels().get(ARCH);
    return own == null ? can.architectures() : Set.of(own);
  }

  private static void standing(Place place, Resources wanted, List<Reason> reasons) {
    Host host = place.host();
    String name = host.ref().id();
    if (host.admission() != Admission.OPEN) {
      later(reasons, CANDIDATES, "host %s is %s".formatted(name, host.admission().text()));
    }
    if (!place.here()
        && !host.nodeUp()) { // this node runs, even if a clock jump made its lease lapse
      later(
          reasons,
          CANDIDATES,
          "node %s, which reaches host %s, is gone".formatted(host.node(), name));
    }
    Host.@Nullable Probed probed = host.probes().get(place.extension().text());
    if (probed != null && !probed.usable()) {
      later(
          reasons,
          CANDIDATES,
          "host %s cannot be used: %s".formatted(name, shown(probed.detail())));
    }
    if (!host.capacity().fits(host.load(), wanted.cpus(), wanted.memoryBytes())) {
      later(
          reasons,
          "resources",
          "host %s is full: %d sandboxes with %s cpus and %d bytes of memory, of %s"
              .formatted(
                  name,
                  host.load().sandboxes(),
                  host.load().cpus().stripTrailingZeros().toPlainString(),
                  host.load().memoryBytes(),
                  host.capacity()));
    }
  }

  private static void never(List<Reason> reasons, String key, String message) {
    reasons.add(new Reason(key, message, false));
  }

  private static void later(List<Reason> reasons, String key, String message) {
    reasons.add(new Reason(key, message, true));
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
            text(wanted), extensionId, listed(offered.stream().map(Eligibility::text).toList()));
  }

  private static String listed(Collection<String> names) {
    return names.stream().sorted().collect(Collectors.joining(", "));
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

  private static String shown(@Nullable String value) {
    return value == null ? "not set" : value;
  }
}
