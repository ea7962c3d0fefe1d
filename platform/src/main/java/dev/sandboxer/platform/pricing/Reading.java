package dev.sandboxer.platform.pricing;

import dev.sandboxer.platform.pricing.PriceFile.Listed;
import dev.sandboxer.platform.pricing.PriceFile.ListedRate;
import dev.sandboxer.yaml.YamlException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * What the price lists say together. A list with a mistake is refused as a whole: what it said
 * before, if anything, goes on to count.
 *
 * @param files by name
 * @param prices of the versions that count
 */
record Reading(Map<String, State> files, Prices prices) {

  static final Reading NOTHING = new Reading(Map.of(), new Prices(List.of(), List.of()));

  /**
   * What became of a file.
   *
   * @param counts the version that counts, null if there is none
   * @param problems of the present version, empty if that one counts
   */
  record State(@Nullable PriceFile counts, List<YamlException> problems) {}

  /**
   * Reads all files.
   *
   * @param texts in order of their names
   * @param currency that prices are converted to
   * @param now ended prices are refused
   * @return with what this reading said of files that are wrong now
   */
  Reading next(List<PriceText> texts, String currency, Instant now) {
    Map<String, State> parsed = new TreeMap<>();
    for (PriceText text : texts) {
      parsed.put(text.name(), parse(text));
    }
    List<PriceFile> fresh =
        parsed.values().stream().map(State::counts).filter(Objects::nonNull).toList();
    List<PriceFile> all = new ArrayList<>(fresh);
    parsed.forEach(
        (name, state) -> {
          PriceFile earlier = earlier(name);
          if (state.counts() == null && earlier != null) {
            all.add(earlier);
          }
        });
    Comparison comparison = new Comparison(currency, now, all);
    Map<String, State> files = new TreeMap<>();
    parsed.forEach(
        (name, state) -> {
          State compared = compared(name, state, comparison);
          comparison.accept(compared.counts());
          files.put(name, compared);
        });
    return of(files);
  }

  private static Reading of(Map<String, State> files) {
    List<PriceFile> counts =
        files.values().stream().map(State::counts).filter(Objects::nonNull).toList();
    List<String> unknown =
        files.entrySet().stream()
            .filter(file -> file.getValue().counts() == null)
            .map(Map.Entry::getKey)
            .toList();
    return new Reading(files, new Prices(counts, unknown));
  }

  private static State parse(PriceText text) {
    if (!text.unreadable().isEmpty()) {
      return new State(null, List.of(new YamlException(text.name(), 1, "", text.unreadable())));
    }
    PriceFileParser.Parsed parsed = PriceFileParser.parse(text.name(), text.text());
    return new State(parsed.file(), parsed.problems());
  }

  private State compared(String name, State parsed, Comparison comparison) {
    PriceFile file = parsed.counts();
    List<YamlException> problems = file == null ? parsed.problems() : comparison.problems(file);
    return problems.isEmpty() ? parsed : new State(earlier(name), problems);
  }

  private @Nullable PriceFile earlier(String name) {
    State state = files.get(name);
    return state == null ? null : state.counts();
  }

  /** Compares a file with the clock and with those before it. */
  private static final class Comparison {

    private final String currency;
    private final Instant now;
    private final List<PriceFile> all;
    private final RateTable rates;
    private final List<Price> prices = new ArrayList<>();
    private final List<Rate> known = new ArrayList<>();

    Comparison(String currency, Instant now, List<PriceFile> all) {
      this.currency = currency;
      this.now = now;
      this.all = all;
      this.rates = Prices.rates(all);
    }

    void accept(@Nullable PriceFile file) {
      if (file != null) {
        file.prices().forEach(listed -> prices.add(listed.price()));
        file.rates().forEach(listed -> known.add(listed.rate()));
      }
    }

    List<YamlException> problems(PriceFile file) {
      List<YamlException> problems = new ArrayList<>();
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
      return problems;
    }

    private void check(Listed listed, List<Price> before, List<YamlException> problems) {
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
}
