package dev.sandboxer.platform.api.volume;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.host.Admission;
import dev.sandboxer.platform.host.Fleet;
import dev.sandboxer.platform.host.Host;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.order.Order;
import dev.sandboxer.platform.order.OrderRequest;
import dev.sandboxer.platform.order.Orders;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.routing.Plan;
import dev.sandboxer.platform.routing.Planner;
import dev.sandboxer.platform.sandbox.Consumer;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.platform.volume.VolumePlace;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionDescriptor.Persistence;
import dev.sandboxer.spi.HostRef;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Decides where a new volume is kept. That is for ever, so nothing is guessed. */
@ApplicationScoped
class VolumePlaces {

  private final ExtensionRegistry registry;
  private final Fleet fleet;
  private final Hosts hosts;
  private final Orders orders;
  private final Planner planner;

  VolumePlaces(
      ExtensionRegistry registry, Fleet fleet, Hosts hosts, Orders orders, Planner planner) {
    this.registry = registry;
    this.fleet = fleet;
    this.hosts = hosts;
    this.orders = orders;
    this.planner = planner;
  }

  /**
   * Where a profile's sandbox would go now, or a host of the backend that is named.
   *
   * @throws ProblemException VALIDATION if the backend or host is none for volumes, or several
   *     backends could keep it; NO_CANDIDATE if none can now
   */
  VolumePlace of(VolumeBody.Read wanted, Principal principal) {
    return wanted.profile().isPresent()
        ? byProfile(wanted.profile().get(), principal)
        : byExtension(wanted);
  }

  private VolumePlace byProfile(String profile, Principal principal) {
    Order order =
        orders.resolve(
            OrderRequest.plain(
                principal.tenantId(),
                principal.keyId(),
                profile,
                new Consumer("agt", "volumes", null, null, Map.of())));
    Plan plan = planner.plan(order.query()).any(order.profile());
    return plan.candidates().stream()
        .filter(choice -> keeps(choice.extension().text(), choice.host()))
        .findFirst()
        .map(choice -> new VolumePlace(choice.extension(), choice.host().id()))
        .orElseThrow(
            () ->
                new ProblemException(
                    ErrorCode.NO_CANDIDATE,
                    "no backend of profile '%s' keeps volumes; those that do are %s"
                        .formatted(profile, keeping())));
  }

  private VolumePlace byExtension(VolumeBody.Read wanted) {
    ExtensionId extension = extension(wanted.extension());
    List<Host> places =
        fleet.hosts().stream()
            .filter(host -> host.serves(extension))
            .filter(host -> keeps(extension.text(), host.ref()))
            .toList();
    if (wanted.host().isPresent()) {
      return places.stream()
          .filter(host -> host.ref().id().equals(wanted.host().get()))
          .findFirst()
          .map(host -> new VolumePlace(extension, host.ref().id()))
          .orElseThrow(() -> noHost(extension, wanted.host().get(), places));
    }
    String node = hosts.node().id();
    return places.stream()
        .filter(host -> host.admission() == Admission.OPEN)
        .filter(host -> host.nodeUp() || host.reachedBy(node))
        .min(
            Comparator.comparing((Host host) -> !host.reachedBy(node))
                .thenComparingDouble(Host::share)
                .thenComparing(host -> host.ref().id()))
        .map(host -> new VolumePlace(extension, host.ref().id()))
        .orElseThrow(
            () ->
                new ProblemException(
                    ErrorCode.NO_CANDIDATE, "no host of %s is open now".formatted(extension)));
  }

  private ExtensionId extension(Optional<String> named) {
    List<String> keeping = keeping();
    if (named.isPresent()) {
      if (!keeping.contains(named.get())) {
        throw invalid(
            "field 'extension': %s keeps no volumes; those that do are %s"
                .formatted(named.get(), keeping));
      }
      return new ExtensionId(named.get());
    }
    if (keeping.size() != 1) {
      throw invalid(
          "field 'extension' is missing: a volume stays with one backend; say which of %s, or name a 'profile' whose sandboxes will mount it"
              .formatted(keeping));
    }
    return new ExtensionId(keeping.getFirst());
  }

  private List<String> keeping() {
    return registry.callable().stream().filter(this::keeps).sorted().toList();
  }

  private boolean keeps(String extension) {
    return registry
        .descriptor(extension)
        .map(ExtensionDescriptor::persistence)
        .filter(persistence -> persistence != Persistence.NONE)
        .isPresent();
  }

  private boolean keeps(String extension, HostRef host) {
    return registry
        .descriptor(extension)
        .filter(can -> can.persistence(host) != Persistence.NONE)
        .isPresent();
  }

  private static ProblemException noHost(ExtensionId extension, String host, List<Host> places) {
    return invalid(
        "field 'host': there is no host '%s' of %s; there are %s"
            .formatted(host, extension, places.stream().map(one -> one.ref().id()).toList()));
  }

  private static ProblemException invalid(String detail) {
    return new ProblemException(ErrorCode.VALIDATION, detail);
  }
}
