package dev.sandboxer.platform.api.quote;

import dev.sandboxer.platform.pricing.Money;
import dev.sandboxer.platform.pricing.Quote;
import dev.sandboxer.platform.routing.Choice;
import dev.sandboxer.platform.routing.Rejection;
import dev.sandboxer.spi.MeterQuote;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** What a sandbox would cost at each candidate. */
@Schema(name = "Quotes")
record QuotesView(
    @Schema(description = "in the order in which a create would try them") List<ItemView> items,
    @Schema(description = "backends that the profile allows and that cannot run it")
        List<RejectedView> rejected) {

  /** One candidate's price; amounts are decimal texts. */
  @Schema(name = "Quote")
  record ItemView(
      String extension,
      String host,
      @Schema(description = "as the seller quotes it, null if no price is known", examples = "0.50")
          @Nullable String amount,
      @Schema(description = "ISO 4217") @Nullable String currency,
      @Schema(description = "the same in the operator's currency, for comparison")
          @Nullable MoneyView converted,
      @Schema(
              description =
                  "allocated: all the time; active: the time in which it computes; free: nothing",
              enumeration = {"free", "allocated", "active"})
          @Nullable String basis,
      @Schema(description = "shortest time that is billed") @Nullable BigDecimal minimumSeconds,
      @Schema(description = "billed time is rounded up to a multiple of it")
          @Nullable BigDecimal granularitySeconds,
      @Schema(description = "null: until somebody changes it") @Nullable Instant validUntil,
      @Schema(description = "price list and line, or the extension") @Nullable String source,
      @Schema(description = "why no price is known") @Nullable String reason) {

    static ItemView of(Choice candidate, Quote quote) {
      String extension = candidate.extension().text();
      String host = candidate.host().id();
      return switch (quote) {
        case Quote.Unknown(String reason) ->
            new ItemView(extension, host, null, null, null, null, null, null, null, null, reason);
        case Quote.Priced priced -> of(extension, host, priced);
      };
    }

    private static ItemView of(String extension, String host, Quote.Priced priced) {
      MeterQuote asked = priced.asked();
      Money money = new Money(asked.amount(), asked.currency());
      return new ItemView(
          extension,
          host,
          money.text(),
          money.currency(),
          new MoneyView(priced.compared().text(), priced.compared().currency()),
          asked.basis().name().toLowerCase(Locale.ROOT),
          seconds(asked.minimum()),
          seconds(asked.granularity()),
          priced.validUntil().equals(Instant.MAX) ? null : priced.validUntil(),
          priced.source(),
          null);
    }

    private static BigDecimal seconds(Duration span) {
      BigDecimal exact =
          BigDecimal.valueOf(span.getSeconds()).add(BigDecimal.valueOf(span.getNano(), 9));
      BigDecimal bare = exact.stripTrailingZeros();
      return bare.setScale(Math.max(0, bare.scale()));
    }
  }

  /** Money; the amount is a decimal text. */
  @Schema(name = "Money")
  record MoneyView(@Schema(examples = "0.50") String amount, String currency) {}

  /** A backend that cannot run the profile. */
  @Schema(name = "RejectedCandidate")
  record RejectedView(String extension, String host, List<ReasonView> reasons) {

    static RejectedView of(Rejection rejection) {
      return new RejectedView(
          rejection.extension().text(),
          rejection.host(),
          rejection.reasons().stream()
              .map(reason -> new ReasonView(reason.profileKey(), reason.message()))
              .toList());
    }
  }

  /** Why a backend cannot. */
  @Schema(name = "RejectionReason")
  record ReasonView(
      @Schema(description = "the key of the profile that would change it") String profileKey,
      String message) {}
}
