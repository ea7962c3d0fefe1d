package dev.sandboxer.platform.pricing;

import dev.sandboxer.platform.pricing.PriceFile.Listed;
import dev.sandboxer.platform.pricing.PriceFile.ListedRate;
import dev.sandboxer.yaml.YamlException;
import dev.sandboxer.yaml.YamlFile;
import dev.sandboxer.yaml.YamlMap;
import dev.sandboxer.yaml.YamlProblems;
import dev.sandboxer.yaml.YamlValue;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Reads one price list, with all its mistakes. */
final class PriceFileParser {

  private static final Set<String> TOP = Set.of("currency", "hosts", "providers", "rates");
  private static final Set<String> LISTS = Set.of("hosts", "providers", "rates");
  private static final Set<String> RATE = Set.of("from", "to", "date", "rate");

  private final String name;
  private final YamlProblems problems = new YamlProblems();

  private PriceFileParser(String name) {
    this.name = name;
  }

  /**
   * What was read.
   *
   * @param file what is right in it, null if nothing could be read
   * @param problems all that is wrong in it
   */
  record Parsed(@Nullable PriceFile file, List<YamlException> problems) {}

  static Parsed parse(String name, String text) {
    PriceFileParser parser = new PriceFileParser(name);
    PriceFile file =
        parser.problems.<@Nullable PriceFile>read(
            null, () -> parser.file(YamlFile.read(name, text)));
    return new Parsed(file, parser.problems.found());
  }

  private PriceFile file(YamlMap top) throws YamlException {
    top.allowOnly(TOP, Set.of(), problems);
    if (LISTS.stream().noneMatch(list -> top.find(list).isPresent())) {
      throw new YamlException(name, 1, "", "it has no prices: 'hosts', 'providers' or 'rates'");
    }
    List<Listed> prices = new ArrayList<>();
    if (top.find("hosts").isPresent() || top.find("providers").isPresent()) {
      YamlValue currency = problems.<@Nullable YamlValue>read(null, () -> top.get("currency"));
      String code = currency == null ? "" : problems.read("", () -> PriceFields.currency(currency));
      prices.addAll(prices(top, "hosts", currency, code));
      prices.addAll(prices(top, "providers", currency, code));
    }
    return new PriceFile(name, prices, rates(top));
  }

  private List<Listed> prices(YamlMap top, String list, @Nullable YamlValue currency, String code) {
    List<Listed> prices = new ArrayList<>();
    for (YamlValue item : items(top, list)) {
      YamlMap map = problems.<@Nullable YamlMap>read(null, item::map);
      if (map != null) {
        Price price = new PriceEntry(item, map, problems).read(list.equals("hosts"), code);
        if (price != null && currency != null && !code.isEmpty()) {
          prices.add(
              new Listed(
                  price, currency, map.find("from").orElse(item), map.find("until").orElse(item)));
        }
      }
    }
    return prices;
  }

  private List<ListedRate> rates(YamlMap top) {
    List<ListedRate> rates = new ArrayList<>();
    for (YamlValue item : items(top, "rates")) {
      YamlMap map = problems.<@Nullable YamlMap>read(null, item::map);
      if (map != null) {
        map.allowOnly(RATE, Set.of(), problems);
        ListedRate rate = problems.<@Nullable ListedRate>read(null, () -> rate(map));
        if (rate != null) {
          rates.add(rate);
        }
      }
    }
    return rates;
  }

  private static ListedRate rate(YamlMap map) throws YamlException {
    String from = PriceFields.currency(map.get("from"));
    YamlValue to = map.get("to");
    if (PriceFields.currency(to).equals(from)) {
      throw to.wrong("%s is the currency that is converted".formatted(to.shown()));
    }
    YamlValue date = map.get("date");
    Instant since = PriceFields.day(date);
    YamlValue rate = map.get("rate");
    var factor = PriceFields.amount(rate);
    if (factor.signum() == 0) {
      throw rate.wrong("%s must be above 0".formatted(rate.shown()));
    }
    return new ListedRate(new Rate(from, PriceFields.currency(to), since, factor), date);
  }

  private List<YamlValue> items(YamlMap top, String list) {
    return problems.read(
        List.of(), () -> top.find(list).isPresent() ? top.get(list).list() : List.of());
  }
}
