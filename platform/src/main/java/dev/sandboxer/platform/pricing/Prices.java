package dev.sandboxer.platform.pricing;

import dev.sandboxer.platform.sandbox.ExtensionId;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** All prices and rates of the operator's, as of one reading of the files. */
final class Prices {

  private final Map<PricedPlace, List<Price>> listed;
  private final RateTable rates;
  private final List<String> unknown;

  /**
   * Takes them together.
   *
   * @param files that count, in order of their names
   * @param unknown files of which no version could be read
   */
  Prices(Collection<PriceFile> files, List<String> unknown) {
    this.listed =
        files.stream()
            .flatMap(file -> file.prices().stream())
            .map(PriceFile.Listed::price)
            .collect(Collectors.groupingBy(Price::place, HashMap::new, Collectors.toList()));
    this.rates = rates(files);
    this.unknown = List.copyOf(unknown);
  }

  static RateTable rates(Collection<PriceFile> files) {
    return new RateTable(
        files.stream()
            .flatMap(file -> file.rates().stream())
            .map(PriceFile.ListedRate::rate)
            .toList());
  }

  /** The price that holds; empty if none does. */
  Optional<Price> inForce(
      ExtensionId extension, String host, @Nullable String region, Instant now) {
    if (listed.isEmpty()) {
      return Optional.empty();
    }
    return PricedPlace.of(extension, host, region).stream()
        .flatMap(place -> listed.getOrDefault(place, List.of()).stream())
        .filter(price -> price.period().holds(now))
        .findFirst();
  }

  /** A place that has prices, where none of them holds now; empty if no price is listed at all. */
  Optional<PricedPlace> gap(ExtensionId extension, String host, @Nullable String region) {
    return PricedPlace.of(extension, host, region).stream().filter(listed::containsKey).findFirst();
  }

  RateTable rates() {
    return rates;
  }

  /** Files that may have prices which are not known. */
  List<String> unknown() {
    return unknown;
  }
}
