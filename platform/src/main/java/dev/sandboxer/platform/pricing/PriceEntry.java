package dev.sandboxer.platform.pricing;

import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.ExtensionDescriptor.PricingModel;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;
import dev.sandboxer.yaml.YamlValue;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** Reads one price of a list. */
final class PriceEntry {

  private static final Set<String> UNITS = Set.of("per_hour", "per_vcpu_hour", "per_gib_hour");
  private static final Set<String> TERMS =
      Set.of("from", "until", "basis", "minimum", "granularity");

  private final YamlValue item;
  private final YamlMap map;
  private final YamlProblems problems;

  PriceEntry(YamlValue item, YamlMap map, YamlProblems problems) {
    this.item = item;
    this.map = map;
    this.problems = problems;
  }

  /** The price; null if anything of it is wrong. */
  @Nullable Price read(boolean ofHost, String currency) {
    Set<String> known = new TreeSet<>(UNITS);
    known.addAll(TERMS);
    known.addAll(ofHost ? Set.of("host", "extension") : Set.of("extension", "region"));
    map.allowOnly(known, Set.of(), problems);
    PricedPlace place = part(() -> ofHost ? host() : provider());
    Period period = part(this::period);
    UnitPrices units = part(this::units);
    Billing billing = part(this::billing);
    if (place == null || period == null || units == null || billing == null) {
      return null;
    }
    return new Price(place, period, currency, units, billing, source());
  }

  private <T> @Nullable T part(YamlProblems.Reading<@Nullable T> reading) {
    return problems.<@Nullable T>read(null, reading);
  }

  private PricedPlace host() throws YamlException {
    @Nullable ExtensionId extension =
        map.find("extension").isPresent() ? PriceFields.extension(map.get("extension")) : null;
    return new PricedPlace(PriceFields.name(map.get("host")), extension, null);
  }

  private PricedPlace provider() throws YamlException {
    @Nullable String region =
        map.find("region").isPresent() ? PriceFields.name(map.get("region")) : null;
    return new PricedPlace(null, PriceFields.extension(map.get("extension")), region);
  }

  private Period period() throws YamlException {
    Instant from = map.find("from").isPresent() ? PriceFields.day(map.get("from")) : Instant.MIN;
    if (map.find("until").isEmpty()) {
      return new Period(from, Instant.MAX);
    }
    YamlValue until = map.get("until");
    Instant end = PriceFields.day(until);
    if (!from.isBefore(end)) {
      throw until.wrong("%s must be after 'from'".formatted(until.shown()));
    }
    return new Period(from, end);
  }

  private UnitPrices units() throws YamlException {
    if (UNITS.stream().noneMatch(unit -> map.find(unit).isPresent())) {
      throw item.wrong(
          "the price is missing: 'per_hour', 'per_vcpu_hour', 'per_gib_hour' or several of them");
    }
    @Nullable BigDecimal hour = part(() -> unit("per_hour"));
    @Nullable BigDecimal vcpu = part(() -> unit("per_vcpu_hour"));
    return new UnitPrices(
        hour == null ? BigDecimal.ZERO : hour,
        vcpu == null ? BigDecimal.ZERO : vcpu,
        unit("per_gib_hour"));
  }

  private BigDecimal unit(String key) throws YamlException {
    return map.find(key).isPresent() ? PriceFields.amount(map.get(key)) : BigDecimal.ZERO;
  }

  private Billing billing() throws YamlException {
    PricingModel basis =
        map.find("basis").isPresent()
            ? PriceFields.basis(map.get("basis"))
            : PricingModel.ALLOCATED;
    Duration minimum =
        map.find("minimum").isPresent() ? PriceFields.span(map.get("minimum")) : Duration.ZERO;
    Duration granularity = Duration.ofSeconds(1);
    if (map.find("granularity").isPresent()) {
      YamlValue value = map.get("granularity");
      granularity = PriceFields.span(value);
      if (granularity.isZero()) {
        throw value.wrong("%s must be at least 1s".formatted(value.shown()));
      }
    }
    return new Billing(basis, minimum, granularity);
  }

  private String source() {
    YamlException here = item.wrong("");
    return here.file() + ":" + here.line();
  }
}
