package dev.sandboxer.platform.pricing;

import dev.sandboxer.yaml.YamlValue;
import java.util.List;

/**
 * One price list as it was read, right in itself.
 *
 * @param name of the file
 * @param prices in the order of the file
 * @param rates in the order of the file
 */
record PriceFile(String name, List<Listed> prices, List<ListedRate> rates) {

  PriceFile {
    prices = List.copyOf(prices);
    rates = List.copyOf(rates);
  }

  /**
   * A price and where it stands.
   *
   * @param price itself
   * @param currency where its currency stands
   * @param from where it says when it begins, else where it stands
   * @param until where it says when it ends, else where it stands
   */
  record Listed(Price price, YamlValue currency, YamlValue from, YamlValue until) {}

  /**
   * A rate and where its date stands.
   *
   * @param rate itself
   * @param date where it says since when
   */
  record ListedRate(Rate rate, YamlValue date) {}

  String summary() {
    return "%d prices, %d rates".formatted(prices.size(), rates.size());
  }
}
