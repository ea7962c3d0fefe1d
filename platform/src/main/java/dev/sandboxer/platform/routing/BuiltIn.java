package dev.sandboxer.platform.routing;

import dev.sandboxer.spi.ExtensionDescriptor.Hosting;
import dev.sandboxer.spi.routing.Option;
import dev.sandboxer.spi.routing.RoutingStrategy;
import dev.sandboxer.spi.routing.Score;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The strategies that come with the platform. */
final class BuiltIn {

  /** What is assumed of a place without enough creates, so that it gets some. */
  private static final Duration A_STEP_AWAY = Duration.ofMillis(100);

  private static final double NANOS = 1e9;

  private BuiltIn() {}

  static List<RoutingStrategy> all() {
    return List.of(new Explicit(), new PreferSelfHosted(), new LowestCost(), new LowestLatency());
  }

  /** The profile's order. */
  static final class Explicit implements RoutingStrategy {
    @Override
    public String name() {
      return Routing.EXPLICIT;
    }

    @Override
    public Score score(Option option) {
      return new Score(option.position(), "number %d in the list".formatted(option.position() + 1));
    }
  }

  /** Machines of the operator first. */
  private static final class PreferSelfHosted implements RoutingStrategy {
    @Override
    public String name() {
      return Routing.PREFER_SELF_HOSTED;
    }

    @Override
    public Score score(Option option) {
      return option.hosting() == Hosting.SELF_HOSTED
          ? new Score(0, "self-hosted")
          : new Score(1, "a provider's");
    }
  }

  /** The lowest price first; what nobody has a price for comes last. */
  private static final class LowestCost implements RoutingStrategy {
    @Override
    public String name() {
      return "lowest-cost";
    }

    @Override
    public boolean comparesPrices() {
      return true;
    }

    @Override
    public Score score(Option option) {
      Optional<BigDecimal> price = option.price();
      return price.isEmpty()
          ? new Score(Double.POSITIVE_INFINITY, "no price is known")
          : new Score(price.get().doubleValue(), "costs " + price.get().toPlainString());
    }
  }

  /** The shortest time to ready first; before there are enough creates, the nearest region. */
  private static final class LowestLatency implements RoutingStrategy {
    @Override
    public String name() {
      return "lowest-latency";
    }

    @Override
    public Score score(Option option) {
      Optional<Duration> measured = option.timeToReady();
      return measured.isEmpty()
          ? new Score(
              A_STEP_AWAY.multipliedBy(option.distance()).toNanos() / NANOS,
              "not measured yet, " + distance(option.distance()))
          : new Score(
              measured.get().toNanos() / NANOS,
              "ready in %d ms lately".formatted(measured.get().toMillis()));
    }

    private static String distance(int distance) {
      return switch (distance) {
        case 0 -> "in the platform's region";
        case 1 -> "in a region near by";
        default -> "in another region";
      };
    }
  }
}
