package dev.sandboxer.platform.pricing;

import dev.sandboxer.platform.pricing.PriceFile.Listed;
import dev.sandboxer.platform.pricing.PriceFile.ListedRate;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlProblems;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Finds what is wrong with a price list although each of its parts is right: beside the clock, its
 * other prices, and the lists before it.
 */
final class PriceComparison {

  private final String currency;
  private final Instant now;
  private final List<PriceFile> all;
  private final RateTable rates;
  private final List<Price> prices = new ArrayList<>();
  private final List<Rate> known = new ArrayList<>();

  PriceComparison(String currency, Instant now, List<PriceFile> all) {
    this.currency = currency;
    this.now = now;
    this.all = all;
    this.rates = Prices.rates(all);
  }

  /** Those that come later are compared with this list too. */
  void accept(@Nullable PriceFile file) {
    if (file != null) {
      file.prices().forEach(listed -> prices.add(listed.price()));
      file.rates().forEach(listed -> known.add(listed.rate()));
    }
  }

  /**
   * Compares a list.
   *
   * @param file with what could be read of it
   * @return what is wrong
   */
  List<YamlException> problems(PriceFile file) {
    YamlProblems problems = new YamlProblems();
    List<Price> before = new ArrayList<>(prices);
    for (Listed listed : file.prices()) {
      check(listed, before, problems);
      before.add(listed.price());
    }
    List<Rate> ratesBefore = new ArrayList<>(known);
    for (ListedRate listed : file.rates()) {
      if (ratesBefore.stream().anyMatch(listed.rate()::sameDay)) {
        problems.add(listed.date().wrong("there is another rate of that day for the same two"));
      }
      ratesBefore.add(listed.rate());
    }
    return problems.found();
  }

  private void check(Listed listed, List<Price> before, YamlProblems problems) {
    Price price = listed.price();
    before.stream()
        .filter(other -> other.place().equals(price.place()))
        .filter(other -> other.period().overlaps(price.period()))
        .findFirst()
        .ifPresent(
            other ->
                problems.add(
                    listed
                        .from()
                        .wrong(
                            "it overlaps the price of %s at %s"
                                .formatted(price.place(), other.source()))));
    if (price.period().endedBy(now) && !followed(price)) {
      problems.add(
          listed
              .until()
              .wrong(
                  "the price of %s has ended; give it a later end, or a price that follows"
                      .formatted(price.place())));
    } else if (!convertible(price)) {
      problems.add(
          listed
              .currency()
              .wrong(
                  "there is no rate from %s to %s, the currency of SANDBOXER_CURRENCY; add one to 'rates'"
                      .formatted(price.currency(), currency)));
    }
  }

  /** Whether a price that has ended is the past of one that holds, or will. */
  private boolean followed(Price ended) {
    return all.stream()
        .flatMap(file -> file.prices().stream())
        .map(Listed::price)
        .anyMatch(other -> other.place().equals(ended.place()) && !other.period().endedBy(now));
  }

  private boolean convertible(Price price) {
    Instant first = price.period().from();
    return price.period().endedBy(now)
        || rates.knows(price.currency(), currency, first.isAfter(now) ? first : now);
  }
}
