package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.extension.Breaker;
import dev.sandboxer.platform.extension.Breakers;
import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.extension.Probes;
import dev.sandboxer.platform.host.Fleet;
import dev.sandboxer.platform.host.Host;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.image.AllowedImages;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.pricing.Money;
import dev.sandboxer.platform.pricing.Quote;
import dev.sandboxer.platform.pricing.Quotes;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.platform.trace.Span;
import dev.sandboxer.platform.trace.Tracing;
import dev.sandboxer.platform.volume.VolumePlace;
import dev.sandboxer.platform.volume.Volumes;
import dev.sandboxer.spi.CostQuery;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionDescriptor.Hosting;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Probing;
import dev.sandboxer.spi.SandboxSpec;
import dev.sandboxer.spi.Suspendable;
import dev.sandboxer.spi.routing.RoutingStrategy;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** Decides where a sandbox may go: gathers what is known of each place, and has it ordered. */
@ApplicationScoped
public class Planner {

  private static final Duration PROBE_AGE = Duration.ofMinutes(10);

  private final Hosts hosts;
  private final Fleet fleet;
  private final ExtensionRegistry registry;
  private final Breakers breakers;
  private final Probes probes;
  private final Latencies latencies;
  private final Alike alike;
  private final Strategies strategies;
  private final Quotes quotes;
  private final Regions regions;
  private final Volumes volumes;
  private final AllowedImages images;
  private final Tracing tracing;

  Planner(
      Hosts hosts,
      Fleet fleet,
      ExtensionRegistry registry,
      Breakers breakers,
      Probes probes,
      Latencies latencies,
      Alike alike,
      Strategies strategies,
      Quotes quotes,
      Settings settings,
      Volumes volumes,
      AllowedImages images,
      Tracing tracing) {
    this.hosts = hosts;
    this.fleet = fleet;
    this.registry = registry;
    this.breakers = breakers;
    this.probes = probes;
    this.latencies = latencies;
    this.alike = alike;
    this.strategies = strategies;
    this.quotes = quotes;
    this.regions = new Regions(settings.region());
    this.volumes = volumes;
    this.images = images;
    this.tracing = tracing;
  }

  /**
   * Plans. Blocks, at most some seconds, while a backend is probed or asked for a price; never
   * inside a transaction. Changes nothing.
   *
   * @param query what is to be placed
   * @return candidates in the order to try, and the reasons of each rejection
   * @throws ProblemException VALIDATION if the tenant may not use the image; NO_CANDIDATE if there
   *     is no such strategy
   */
  public Plan plan(RouteQuery query) {
    try (Span span = tracing.step("sandbox.route")) {
      images.check(query.tenantId(), query.spec().image());
      Routing routing = query.routing();
      RoutingStrategy strategy =
          strategies.find(routing.strategy()).orElseThrow(() -> unknown(routing.strategy()));
      Plan plan = plan(query, strategy);
      if (plan.candidates().isEmpty() && plan.maySoon()) {
        fleet.changed(); // a host may have got room since it was looked at
        plan = plan(query, strategy);
      }
      span.set("sandboxer.candidates", plan.candidates().size());
      return plan;
    }
  }

  private Plan plan(RouteQuery query, RoutingStrategy strategy) {
    List<Rejection> nowhere = new ArrayList<>();
    List<Place> places = quoted(places(query, nowhere), query);
    Plan plan = Router.route(query.spec(), query.routing(), places, strategy);
    nowhere.addAll(plan.rejected());
    return new Plan(plan.strategy(), plan.candidates(), nowhere);
  }

  private ProblemException unknown(String strategy) {
    return new ProblemException(
        Problem.of(
                ErrorCode.NO_CANDIDATE,
                "there is no routing strategy '%s'; there are %s"
                    .formatted(strategy, strategies.names()))
            .with("profile_key", "routing.strategy"));
  }

  private List<Place> places(RouteQuery query, List<Rejection> nowhere) {
    List<Routing.Wanted> wanted = wanted(query.routing());
    Map<String, Integer> counts = alike.byHost(query);
    Map<String, VolumePlace> mounted = volumes.places(query.tenantId(), query.spec().mounts());
    List<Host> all = fleet.hosts();
    List<Place> places = new ArrayList<>();
    IntStream.range(0, wanted.size())
        .forEach(
            index -> {
              Routing.Wanted one = wanted.get(index);
              int position = query.routing().candidates().isEmpty() ? 0 : index;
              List<Host> found = all.stream().filter(host -> serves(host, one)).toList();
              if (found.isEmpty()) {
                nowhere.add(Router.nowhere(one.extension(), one.host(), nowhere(one)));
              }
              found.stream()
                  .filter(host -> notYet(places, one.extension(), host))
                  .forEach(host -> places.add(place(query, one, position, host, counts, mounted)));
            });
    return places;
  }

  private List<Routing.Wanted> wanted(Routing routing) {
    return routing.candidates().isEmpty()
        ? registry.callable().stream()
            .sorted()
            .map(id -> new Routing.Wanted(new ExtensionId(id), null))
            .toList()
        : routing.candidates();
  }

  /**
   * A backend that this node has not loaded stays with its own machine: its failure then says so. A
   * provider's has no machine of ours, and one of other machines none of a node.
   */
  private boolean serves(Host host, Routing.Wanted wanted) {
    String id = host.ref().id();
    if (wanted.host() != null && !wanted.host().equals(id)) {
      return false;
    }
    if (host.extension() != null) {
      return host.serves(wanted.extension());
    }
    Optional<ExtensionDescriptor> can = registry.descriptor(wanted.extension().text());
    boolean own = id.equals(hosts.node().id());
    return can.map(Planner::onNodes).orElse(true)
        && (host.serves(wanted.extension()) || (own && !anywhere(wanted.extension())));
  }

  private static boolean onNodes(ExtensionDescriptor can) {
    return can.hosting() == Hosting.SELF_HOSTED && can.nodeBound();
  }

  private boolean anywhere(ExtensionId extension) {
    return fleet.hosts().stream().anyMatch(host -> host.serves(extension));
  }

  private static boolean notYet(List<Place> places, ExtensionId extension, Host host) {
    return places.stream()
        .noneMatch(
            place ->
                place.extension().equals(extension)
                    && place.host().ref().id().equals(host.ref().id()));
  }

  private String nowhere(Routing.Wanted wanted) {
    return wanted.host() == null
        ? "no host of %s is registered; POST /v1/hosts registers one".formatted(wanted.extension())
        : "there is no host '%s' of %s".formatted(wanted.host(), wanted.extension());
  }

  private Place place(
      RouteQuery query,
      Routing.Wanted wanted,
      int position,
      Host host,
      Map<String, Integer> counts,
      Map<String, VolumePlace> mounted) {
    ExtensionId extension = wanted.extension();
    String id = host.ref().id();
    @Nullable ExtensionDescriptor can = registry.descriptor(extension.text()).orElse(null);
    return new Place(
        extension,
        can,
        host,
        host.reachedBy(hosts.node().id()),
        position,
        notEnforced(extension, host, query.spec()),
        runtimes(extension, host, query.spec()),
        registry.find(extension.text()).filter(Suspendable.class::isInstance).isPresent(),
        breakers.state(extension.text(), id) == Breaker.State.OPEN,
        counts.getOrDefault(id, 0),
        latencies.of(extension, id),
        elsewhere(new VolumePlace(extension, id), mounted),
        regions.distance(host.region()),
        Optional.empty(),
        null);
  }

  private static Optional<String> elsewhere(VolumePlace here, Map<String, VolumePlace> mounted) {
    return mounted.entrySet().stream()
        .filter(volume -> !volume.getValue().equals(here))
        .map(
            volume ->
                "volume '%s' is kept by %s on host %s"
                    .formatted(
                        volume.getKey(), volume.getValue().extension(), volume.getValue().host()))
        .findFirst();
  }

  /** Only what can run it is asked for a price. */
  private List<Place> quoted(List<Place> places, RouteQuery query) {
    List<Place> fit =
        places.stream()
            .filter(place -> Eligibility.reasons(place, query.spec(), query.routing()).isEmpty())
            .toList();
    CostQuery cost = new CostQuery(query.spec(), query.duration(), 1, null);
    List<Quote> prices = quotes.each(fit.stream().map(Planner::sold).toList(), cost);
    @Nullable Money most = query.routing().maxCost();
    List<Place> quoted = new ArrayList<>(places);
    quoted.removeAll(fit);
    for (int index = 0; index < fit.size(); index++) {
      Quote price = prices.get(index);
      @Nullable String tooDear = most == null ? null : quotes.exceeds(price, most).orElse(null);
      Optional<Quote.Priced> known =
          price instanceof Quote.Priced priced ? Optional.of(priced) : Optional.empty();
      quoted.add(fit.get(index).quoted(known, tooDear));
    }
    return quoted;
  }

  private static Quotes.Place sold(Place place) {
    return new Quotes.Place(place.extension(), place.host().ref(), place.host().region());
  }

  /**
   * The limits that the backend cannot enforce on this host. Process sandboxes depend on the host's
   * cgroups, so this node's own machine is probed. A container engine reports its own limits.
   */
  private Set<Limit> notEnforced(ExtensionId extension, Host host, SandboxSpec spec) {
    if (spec.isolation() != IsolationLevel.PROCESS
        || spec.bestEffort().containsAll(EnumSet.allOf(Limit.class))) {
      return Set.of();
    }
    if (isProbedForAll(host)) {
      Host.@Nullable Probed known = host.probes().get(extension.text());
      return known == null
          ? Set.of()
          : known.notEnforced().stream()
              .map(name -> Limit.valueOf(name.toUpperCase(Locale.ROOT)))
              .collect(Collectors.toSet());
    }
    return probes
        .of(extension.text(), host.ref(), PROBE_AGE)
        .probe()
        .filter(Probing.Probe::usable) // else provision reports what is wrong
        .map(Probing.Probe::notEnforced)
        .orElse(Set.of());
  }

  /** Registered hosts are tried now and then, and the result is kept for all nodes. */
  private boolean isProbedForAll(Host host) {
    return !host.reachedBy(hosts.node().id()) || host.extension() != null;
  }

  private Optional<Set<String>> runtimes(ExtensionId extension, Host host, SandboxSpec spec) {
    if (spec.runtime() == null) {
      return Optional.empty();
    }
    return isProbedForAll(host)
        ? Optional.ofNullable(host.probes().get(extension.text())).flatMap(Host.Probed::runtimes)
        : probes
            .of(extension.text(), host.ref(), PROBE_AGE)
            .probe()
            .flatMap(Probing.Probe::runtimes);
  }
}
