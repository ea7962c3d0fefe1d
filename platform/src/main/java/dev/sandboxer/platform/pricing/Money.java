package dev.sandboxer.platform.pricing;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.annotation.JsonValue;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.Currency;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * An amount of money, exact. Its JSON form is {@code {"amount": "0.50", "currency": "EUR"}}.
 *
 * @param amount not negative
 * @param currency ISO 4217, such as {@code EUR}
 */
public record Money(BigDecimal amount, String currency) {

  /** Decimal places of a computed amount, rounded half up. */
  static final int SCALE = 8;

  private static final Pattern AMOUNT = Pattern.compile("\\d{1,12}(\\.\\d{1,12})?");

  /** Checks the values; {@link IllegalArgumentException} names what is wrong. */
  public Money {
    if (amount.signum() < 0) {
      throw new IllegalArgumentException("amount '" + amount + "' must not be negative");
    }
    currency = Currencies.checked(currency);
  }

  /**
   * Reads an amount as people and JSON write it.
   *
   * @param amount digits, with a point and decimals if need be, such as {@code 0.50}
   * @param currency ISO 4217
   * @return the money
   * @throws IllegalArgumentException naming what is wrong
   */
  @JsonCreator
  public static Money of(
      @JsonProperty("amount") String amount, @JsonProperty("currency") String currency) {
    if (!AMOUNT.matcher(amount).matches()) {
      throw new IllegalArgumentException(
          "amount '" + amount + "' must be a decimal number that is not negative, such as 0.50");
    }
    return new Money(new BigDecimal(amount), currency);
  }

  static Money zero(String currency) {
    return new Money(BigDecimal.ZERO, currency);
  }

  /** The same amount for another factor, rounded. */
  Money times(BigDecimal factor, String into) {
    return new Money(amount.multiply(factor).setScale(SCALE, RoundingMode.HALF_UP), into);
  }

  /**
   * The amount for people and JSON: without needless zeros, with at least the decimals that are
   * usual for the currency, and never with an exponent.
   *
   * @return such as {@code 0.50} or {@code 0.00001234}
   */
  public String text() {
    int usual = Math.max(0, Currency.getInstance(currency).getDefaultFractionDigits());
    BigDecimal bare = amount.stripTrailingZeros();
    return bare.setScale(Math.max(usual, bare.scale())).toPlainString();
  }

  /**
   * The JSON form.
   *
   * @return amount and currency
   */
  @JsonValue
  public Map<String, String> json() {
    Map<String, String> json = new LinkedHashMap<>();
    json.put("amount", text());
    json.put("currency", currency);
    return json;
  }

  @Override
  public String toString() {
    return text() + " " + currency;
  }
}
