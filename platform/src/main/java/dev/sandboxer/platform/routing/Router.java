package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionDescriptor.Hosting;
import dev.sandboxer.spi.SandboxSpec;
import dev.sandboxer.spi.routing.Option;
import dev.sandboxer.spi.routing.RoutingStrategy;
import dev.sandboxer.spi.routing.Score;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Decides, from what is known, in which order places are tried. The same places give the same
 * order: by whether creates fail there just now; the strategy's score; the labels of {@code prefer}
 * that the host has, more first; the sandboxes that this one is to be kept apart from, fewer first;
 * the routing's own order; the host's load; the names of host and extension.
 */
final class Router {

  private static final Comparator<Ranked> ORDER =
      Comparator.comparing(Ranked::failing)
          .thenComparingDouble(ranked -> ranked.score().value())
          .thenComparingInt(ranked -> -ranked.preferred())
          .thenComparingInt(ranked -> ranked.place().alike())
          .thenComparingInt(ranked -> ranked.place().position())
          .thenComparingDouble(ranked -> ranked.place().host().share())
          .thenComparing(ranked -> ranked.place().host().ref().id())
          .thenComparing(ranked -> ranked.place().extension().text());

  private Router() {}

  private record Ranked(Place place, Score score, int preferred) {

    boolean failing() {
      return place.failing();
    }

    Choice choice() {
      return new Choice(
          place.candidate(),
          score,
          place.host().share(),
          place.host().limited(),
          place.host().region(),
          place.quote().orElse(null));
    }
  }

  static Plan route(
      SandboxSpec spec, Routing routing, List<Place> places, RoutingStrategy strategy) {
    List<Ranked> ranked = new ArrayList<>();
    List<Rejection> rejected = new ArrayList<>();
    for (Place place : places) {
      List<Rejection.Reason> reasons = Eligibility.reasons(place, spec, routing);
      if (reasons.isEmpty()) {
        ranked.add(
            new Ranked(place, strategy.score(option(place)), preferred(place, routing.prefer())));
      } else {
        rejected.add(new Rejection(place.extension(), place.host().ref().id(), reasons));
      }
    }
    ranked.sort(ORDER);
    rejected.sort(
        Comparator.comparing((Rejection one) -> one.extension().text())
            .thenComparing(Rejection::host));
    return new Plan(strategy.name(), ranked.stream().map(Ranked::choice).toList(), rejected);
  }

  private static int preferred(Place place, Map<String, String> labels) {
    return (int)
        labels.entrySet().stream()
            .filter(label -> label.getValue().equals(place.host().labels().get(label.getKey())))
            .count();
  }

  private static Option option(Place place) {
    return new Option(
        place.extension().text(),
        hosting(place.can()),
        place.host().ref().id(),
        place.host().region(),
        place.host().labels(),
        place.position(),
        place.host().share(),
        place.quote().map(quote -> quote.compared().amount()),
        place.timeToReady(),
        place.distance());
  }

  private static Hosting hosting(@Nullable ExtensionDescriptor can) {
    return can == null ? Hosting.SELF_HOSTED : can.hosting();
  }

  /** A backend of the routing that has no place at all. */
  static Rejection nowhere(ExtensionId extension, @Nullable String host, String message) {
    return new Rejection(
        extension,
        host == null ? "" : host,
        List.of(new Rejection.Reason("routing.candidates", message, false)));
  }
}
