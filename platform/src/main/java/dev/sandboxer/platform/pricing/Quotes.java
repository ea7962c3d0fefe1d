package dev.sandboxer.platform.pricing;

import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.pricing.Quote.Priced;
import dev.sandboxer.platform.pricing.Quote.Unknown;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.CostQuery;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionDescriptor.Hosting;
import dev.sandboxer.spi.ExtensionDescriptor.PricingModel;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.MeterQuote;
import jakarta.enterprise.context.ApplicationScoped;
import java.math.BigDecimal;
import java.time.Clock;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * What a sandbox costs. The operator's price list counts first, for the host, then for backend and
 * region; else the backend is asked. Only self-hosted backends without a list can be free.
 */
@ApplicationScoped
public class Quotes {

  private final PriceLists lists;
  private final ExtensionQuotes extensions;
  private final ExtensionRegistry registry;
  private final Clock clock;
  private final String currency;

  Quotes(
      PriceLists lists,
      ExtensionQuotes extensions,
      ExtensionRegistry registry,
      Clock clock,
      Settings settings) {
    this.lists = lists;
    this.extensions = extensions;
    this.registry = registry;
    this.clock = clock;
    this.currency = settings.currency();
  }

  /**
   * A place to ask about.
   *
   * @param extension the backend
   * @param host where
   * @param region of the host, null for that of the query
   */
  public record Place(ExtensionId extension, HostRef host, @Nullable String region) {

    CostQuery about(CostQuery query) {
      return region == null
          ? query
          : new CostQuery(query.spec(), query.duration(), query.activeShare(), region);
    }
  }

  /**
   * Quotes one place. Costs no call where a price list counts, or the backend is self-hosted and
   * free by its descriptor; else blocks for at most two seconds. Never inside a transaction.
   *
   * @param place where
   * @param query what would be made, for how long
   * @return a price, or why none is known
   */
  public Quote of(Place place, CostQuery query) {
    return begin(place, query).get();
  }

  /**
   * Quotes several places, as {@link #of}; their backends are asked at the same time.
   *
   * @param places where
   * @param query what would be made, for how long
   * @return as many, in the same order
   */
  public List<Quote> each(List<Place> places, CostQuery query) {
    List<Supplier<Quote>> begun = places.stream().map(place -> begin(place, query)).toList();
    return begun.stream().map(Supplier::get).toList();
  }

  /**
   * Whether a quote is more than somebody pays. A limit in another currency than the quote's is
   * converted by the operator's rates.
   *
   * @param quote of a place
   * @param most the limit
   * @return why the place is too expensive, or why that is not known; empty if it is within the
   *     limit
   */
  public Optional<String> exceeds(Quote quote, Money most) {
    return switch (quote) {
      case Unknown(String reason) -> Optional.of("its price is not known: " + reason);
      case Priced priced -> exceeds(priced, most);
    };
  }

  private Optional<String> exceeds(Priced quote, Money most) {
    Money asked = new Money(quote.asked().amount(), quote.asked().currency());
    if (asked.currency().equals(most.currency()) || asked.amount().signum() == 0) {
      return compare(asked, most.amount(), most);
    }
    return lists
        .prices()
        .rates()
        .convert(most, currency, clock.instant())
        .map(limit -> compare(quote.compared(), limit.money().amount(), most))
        .orElseGet(() -> Optional.of(noRate(most.currency())));
  }

  private static Optional<String> compare(Money cost, BigDecimal limit, Money most) {
    return cost.amount().compareTo(limit) <= 0
        ? Optional.empty()
        : Optional.of("it costs %s, more than %s".formatted(cost, most));
  }

  private Supplier<Quote> begin(Place place, CostQuery asked) {
    CostQuery query = place.about(asked);
    Instant now = clock.instant();
    Prices prices = lists.prices();
    ExtensionId extension = place.extension();
    Optional<Price> listed = prices.inForce(extension, place.host().id(), query.region(), now);
    if (listed.isPresent()) {
      Price price = listed.get();
      MeterQuote quote =
          price.quote(query.spec().resources(), query.duration(), query.activeShare());
      return () -> priced(quote, price.source(), prices, now);
    }
    return prices
        .gap(extension, place.host().id(), query.region())
        .<Supplier<Quote>>map(gap -> () -> new Unknown("no price of %s holds now".formatted(gap)))
        .orElseGet(() -> unlisted(place, query, prices, now));
  }

  private Supplier<Quote> unlisted(Place place, CostQuery query, Prices prices, Instant now) {
    ExtensionId extension = place.extension();
    Optional<ExtensionDescriptor> descriptor = registry.descriptor(extension.text());
    if (descriptor.isEmpty()) {
      return () -> new Unknown(extension + " is not loaded");
    }
    boolean selfHosted = descriptor.get().hosting() == Hosting.SELF_HOSTED;
    if (selfHosted && descriptor.get().pricing() == PricingModel.FREE) {
      return () -> free(extension, MeterQuote.free(), prices);
    }
    CompletableFuture<ExtensionQuotes.Answer> answer =
        extensions.ask(extension, place.host(), query);
    return () -> answered(extension, answer.join(), selfHosted, prices, now);
  }

  private Quote answered(
      ExtensionId extension,
      ExtensionQuotes.Answer answer,
      boolean selfHosted,
      Prices prices,
      Instant now) {
    MeterQuote quote = answer.quote();
    if (quote == null) {
      return new Unknown(answer.failure());
    }
    if (quote.basis() != PricingModel.FREE) {
      return priced(quote, extension.text(), prices, now);
    }
    return selfHosted
        ? free(extension, quote, prices)
        : new Unknown(
            "%s is a provider's and names no price; add one to a price list".formatted(extension));
  }

  /** A price that cannot be read must not make a host free. */
  private Quote free(ExtensionId extension, MeterQuote quote, Prices prices) {
    return prices.unknown().isEmpty()
        ? new Priced(quote, Money.zero(currency), extension.text(), quote.validUntil())
        : new Unknown(
            "the price list %s is refused, and may have a price for it"
                .formatted(String.join(", ", prices.unknown())));
  }

  private Quote priced(MeterQuote quote, String source, Prices prices, Instant now) {
    Money asked;
    try {
      asked = new Money(quote.amount(), quote.currency());
    } catch (IllegalArgumentException e) {
      return new Unknown("%s: %s".formatted(source, e.getMessage()));
    }
    return prices
        .rates()
        .convert(asked, currency, now)
        .<Quote>map(
            converted ->
                new Priced(
                    quote,
                    converted.money(),
                    source,
                    earlier(quote.validUntil(), converted.until())))
        .orElseGet(() -> new Unknown(noRate(quote.currency())));
  }

  private String noRate(String from) {
    return "there is no rate from %s to %s; add one to a price list".formatted(from, currency);
  }

  private static Instant earlier(Instant one, Instant other) {
    return one.isBefore(other) ? one : other;
  }
}
