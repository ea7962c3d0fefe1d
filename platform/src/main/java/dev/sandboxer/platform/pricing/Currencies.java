package dev.sandboxer.platform.pricing;

import java.util.Currency;
import java.util.Set;
import java.util.stream.Collectors;

/** The currencies of ISO 4217. */
final class Currencies {

  private static final Set<String> ALL =
      Currency.getAvailableCurrencies().stream()
          .map(Currency::getCurrencyCode)
          .collect(Collectors.toUnmodifiableSet());

  private Currencies() {}

  /** The same code; {@link IllegalArgumentException} if no currency has it. */
  static String checked(String code) {
    if (!ALL.contains(code)) {
      throw new IllegalArgumentException(
          "unknown currency '%s'; it must be a code of ISO 4217 such as EUR".formatted(code));
    }
    return code;
  }
}
