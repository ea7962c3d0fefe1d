package dev.sandboxer.platform.routing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.host.Admission;
import dev.sandboxer.platform.host.Capacity;
import dev.sandboxer.platform.host.Host;
import dev.sandboxer.platform.host.Load;
import dev.sandboxer.platform.pricing.Money;
import dev.sandboxer.platform.pricing.Quote;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.BoxdPlacement;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionDescriptor.Hosting;
import dev.sandboxer.spi.ExtensionDescriptor.Persistence;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.IdentityMode;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.MeterQuote;
import dev.sandboxer.spi.NetworkMode;
import dev.sandboxer.spi.Resources;
import dev.sandboxer.spi.SandboxSpec;
import dev.sandboxer.spi.routing.RoutingStrategy;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Properties of routing, over generated fleets. Each has its number, which a failure names. */
class RouterTest {

  private static final int FLEETS = 5_000;
  private static final int MOST_PLACES = 12;

  @Test
  void noCandidateLacksARequirementAndEachRejectionIsExplained() {
    IntStream.range(0, FLEETS).forEach(RouterTest::check);
  }

  private static void check(int seed) {
    Fleet fleet = new Fleet(new Random(seed));
    Plan plan = fleet.route(fleet.places);
    assertThat(plan.candidates().size() + plan.rejected().size())
        .as("fleet %d: each place is a candidate or rejected", seed)
        .isEqualTo(fleet.places.size());
    for (Choice choice : plan.candidates()) {
      Place place = fleet.place(choice.extension(), choice.host().id());
      assertThat(fleet.lacks(place)).as("fleet %d, %s", seed, choice.host().id()).isEmpty();
    }
    for (Rejection rejection : plan.rejected()) {
      Place place = fleet.place(rejection.extension(), rejection.host());
      assertThat(rejection.reasons().stream().map(Rejection.Reason::profileKey))
          .as("fleet %d, %s", seed, rejection.host())
          .containsExactlyInAnyOrderElementsOf(fleet.lacks(place));
      assertThat(rejection.reasons()).allMatch(reason -> !reason.message().isBlank());
    }
  }

  @Test
  void theSamePlacesInAnyOrderGiveTheSamePlan() {
    IntStream.range(0, FLEETS)
        .forEach(
            seed -> {
              Fleet fleet = new Fleet(new Random(seed));
              List<Place> shuffled = new ArrayList<>(fleet.places);
              Collections.shuffle(shuffled, new Random(seed + 1L));
              assertThat(fleet.route(shuffled))
                  .as("fleet %d", seed)
                  .isEqualTo(fleet.route(fleet.places));
            });
  }

  @Test
  void noCandidateComesBeforeOneThatIsBetter() {
    IntStream.range(0, FLEETS)
        .forEach(
            seed -> {
              Fleet fleet = new Fleet(new Random(seed));
              List<Choice> choices = fleet.route(fleet.places).candidates();
              for (int next = 1; next < choices.size(); next++) {
                Choice better = choices.get(next - 1);
                Choice worse = choices.get(next);
                boolean failing = fleet.place(worse.extension(), worse.host().id()).failing();
                assertThat(better.score().value() <= worse.score().value() || failing)
                    .as("fleet %d, %s before %s", seed, better, worse)
                    .isTrue();
              }
            });
  }

  /** One generated question: places, a spec, and what the routing wants. */
  private static final class Fleet {

    private final Random random;
    private final List<Place> places = new ArrayList<>();
    private final SandboxSpec spec;
    private final Routing routing;
    private final RoutingStrategy strategy;

    Fleet(Random random) {
      this.random = random;
      this.spec =
          SandboxSpec.builder(
                  "profile.x",
                  1,
                  pick(IsolationLevel.values()),
                  new Resources(
                      new BigDecimal(1 + random.nextInt(4)), 1 + random.nextInt(4), 1, 1, 1, 1),
                  Duration.ofHours(1))
              .bestEffort(some(Limit.values()))
              .runtime(maybe("runc", "runsc"))
              .build();
      this.routing =
          new Routing(
              "any",
              List.of(),
              new Routing.Require(
                  maybe("eu", "us"),
                  maybe("amd64", "arm64"),
                  random.nextInt(4) == 0 ? pick(Persistence.values()) : null,
                  random.nextInt(4) == 0 ? pick(Hosting.values()) : null,
                  random.nextInt(4) == 0 ? Map.of("disk", "ssd") : Map.of()),
              random.nextBoolean() ? Map.of("rack", "a") : Map.of(),
              null,
              null,
              null,
              random.nextInt(4) == 0);
      this.strategy = pick(BuiltIn.all().toArray(RoutingStrategy[]::new));
      for (int number = random.nextInt(MOST_PLACES) + 1; number > 0; number--) {
        places.add(place(number));
      }
    }

    Plan route(List<Place> among) {
      return Router.route(spec, routing, among, strategy);
    }

    Place place(ExtensionId extension, String host) {
      return places.stream()
          .filter(one -> one.extension().equals(extension) && one.host().ref().id().equals(host))
          .findFirst()
          .orElseThrow();
    }

    /** Written a second time, in other words than the router's. */
    List<String> lacks(Place place) {
      List<String> lacks = new ArrayList<>();
      ExtensionDescriptor can = place.can();
      Host host = place.host();
      if (can != null) {
        add(lacks, "isolation.level", !can.isolationLevels().contains(spec.isolation()));
        add(
            lacks,
            "isolation.runtime",
            spec.runtime() != null
                && place.runtimes().isPresent()
                && !place.runtimes().get().contains(spec.runtime()));
        add(lacks, "network.mode", !can.networkModes().contains(NetworkMode.NONE));
        for (Limit limit : Limit.values()) {
          boolean own = limit == Limit.UID && !can.limits().contains(Limit.UID);
          boolean holds =
              (can.limits().contains(limit) || own) && !place.notEnforced().contains(limit);
          String key =
              limit == Limit.UID
                  ? "best_effort"
                  : "resources." + limit.name().toLowerCase(Locale.ROOT);
          add(lacks, key, !holds && !spec.bestEffort().contains(limit));
        }
        Routing.Require require = routing.require();
        add(
            lacks,
            "routing.require.hosting",
            require.hosting() != null && can.hosting() != require.hosting());
        add(
            lacks,
            "routing.require.persistence",
            require.persistence() != null
                && can.persistence().compareTo(require.persistence()) < 0);
        add(
            lacks,
            "routing.require.region",
            require.region() != null && !require.region().equals(host.region()));
        String arch = host.labels().get("arch");
        add(
            lacks,
            "routing.require.arch",
            require.arch() != null
                && !(arch == null ? can.architectures() : Set.of(arch)).contains(require.arch()));
        add(lacks, "on_idle", routing.suspendIdle() && !place.suspends());
        add(
            lacks,
            "routing.require.labels.disk",
            require.labels().containsKey("disk") && !"ssd".equals(host.labels().get("disk")));
      }
      add(lacks, "mounts", place.elsewhere().isPresent());
      add(lacks, "routing.candidates", host.admission() != Admission.OPEN);
      add(lacks, "routing.candidates", !place.here() && !host.nodeUp());
      Host.Probed probed = host.probes().get(place.extension().text());
      add(lacks, "routing.candidates", probed != null && !probed.usable());
      Integer most = host.capacity().sandboxes();
      BigDecimal cpus = host.capacity().cpus();
      boolean full =
          (most != null && host.load().sandboxes() >= most)
              || (cpus != null
                  && host.load().cpus().add(spec.resources().cpus()).compareTo(cpus) > 0);
      add(lacks, "resources", full);
      add(lacks, "max_cost", place.tooDear() != null);
      return lacks;
    }

    private static void add(List<String> lacks, String key, boolean lacking) {
      if (lacking) {
        lacks.add(key);
      }
    }

    private Place place(int number) {
      ExtensionId extension = new ExtensionId("ext.e" + random.nextInt(3));
      return new Place(
          extension,
          random.nextInt(10) == 0 ? null : descriptor(extension),
          host(number, extension),
          random.nextBoolean(),
          random.nextInt(3),
          some(Limit.values()),
          random.nextBoolean()
              ? Optional.empty()
              : Optional.of(some(new String[] {"runc", "runsc"})),
          random.nextBoolean(),
          random.nextInt(5) == 0,
          random.nextInt(3),
          random.nextBoolean()
              ? Optional.empty()
              : Optional.of(Duration.ofMillis(random.nextInt(500))),
          random.nextInt(6) == 0
              ? Optional.of("volume 'v' is kept by ext.other on host h")
              : Optional.empty(),
          random.nextInt(3),
          random.nextBoolean()
              ? Optional.empty()
              : Optional.of(priced(new BigDecimal(random.nextInt(5)))),
          random.nextInt(6) == 0 ? "it costs 2 EUR, more than 1 EUR" : null);
    }

    private static Quote.Priced priced(BigDecimal amount) {
      MeterQuote asked =
          new MeterQuote(
              amount,
              "EUR",
              ExtensionDescriptor.PricingModel.ALLOCATED,
              Duration.ZERO,
              Duration.ZERO,
              Instant.MAX);
      return new Quote.Priced(asked, new Money(amount, "EUR"), "prices.yaml:1", Instant.MAX);
    }

    private ExtensionDescriptor descriptor(ExtensionId extension) {
      Set<IsolationLevel> levels = new HashSet<>(some(IsolationLevel.values()));
      levels.add(pick(IsolationLevel.values()));
      return ExtensionDescriptor.builder(extension.text(), "1", ExtensionDescriptor.API_VERSION)
          .isolationLevels(levels)
          .networkModes(Set.of(pick(NetworkMode.values())))
          .limits(random.nextBoolean() ? EnumSet.allOf(Limit.class) : some(Limit.values()))
          .architectures(Set.of(random.nextBoolean() ? "amd64" : "arm64"))
          .persistence(pick(Persistence.values()))
          .hosting(pick(Hosting.values()))
          .boxd(BoxdPlacement.INIT)
          .identity(IdentityMode.UNIQUE_NAME)
          .lateEffectWindow(Duration.ZERO)
          .build();
    }

    private Host host(int number, ExtensionId extension) {
      return new Host(
          new HostRef("h" + number, HostRef.LOCAL),
          random.nextBoolean() ? extension : null,
          "node",
          random.nextInt(8) != 0,
          Set.of(extension.text()),
          maybe("eu", "us"),
          random.nextBoolean() ? Map.of("disk", "ssd", "rack", "a") : Map.of("arch", "arm64"),
          random.nextInt(6) == 0 ? pick(Admission.values()) : Admission.OPEN,
          new Capacity(
              random.nextBoolean() ? null : random.nextInt(4),
              random.nextBoolean() ? null : new BigDecimal(1 + random.nextInt(4)),
              null),
          new Load(random.nextInt(3), new BigDecimal(random.nextInt(3)), 0),
          random.nextInt(4) == 0
              ? Map.of(
                  extension.text(),
                  new Host.Probed(
                      random.nextBoolean(),
                      Set.of(),
                      Optional.empty(),
                      Optional.empty(),
                      "down",
                      Instant.EPOCH))
              : Map.of(),
          Instant.EPOCH);
    }

    private @Nullable String maybe(String... values) {
      return random.nextInt(3) == 0 ? pick(values) : null;
    }

    private <T> T pick(T[] values) {
      return values[random.nextInt(values.length)];
    }

    private <T> Set<T> some(T[] values) {
      Set<T> some = new HashSet<>();
      for (T value : values) {
        if (random.nextInt(3) != 0) {
          some.add(value);
        }
      }
      return some;
    }
  }
}
