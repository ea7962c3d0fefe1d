package dev.sandboxer.platform.pricing;

import dev.sandboxer.spi.MeterQuote;
import java.time.Instant;

/** What a sandbox costs at one place. */
public sealed interface Quote {

  /**
   * A price.
   *
   * @param asked as it was quoted, in the seller's currency
   * @param compared the same amount in the currency of {@code SANDBOXER_CURRENCY}, for comparison
   *     with others; rounded half up to 8 decimal places where it was converted
   * @param source where it comes from: the price list with its line, such as {@code hosts.yaml:4},
   *     or the extension's id
   * @param validUntil both amounts hold until then, {@link Instant#MAX} for ever
   */
  record Priced(MeterQuote asked, Money compared, String source, Instant validUntil)
      implements Quote {}

  /**
   * No price is known, which does not mean that it is free.
   *
   * @param reason for a person
   */
  record Unknown(String reason) implements Quote {}
}
