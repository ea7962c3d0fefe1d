package dev.sandboxer.platform.pricing;

import com.github.benmanes.caffeine.cache.AsyncCache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sandboxer.platform.extension.CallLimits;
import dev.sandboxer.platform.extension.ExtensionCalls;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.CostQuery;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.MeterQuote;
import dev.sandboxer.spi.Resources;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jspecify.annotations.Nullable;

/**
 * What extensions answer when they are asked for a price. An answer is kept until it is no longer
 * valid, a failure for five seconds; callers at the same time share one call.
 */
@ApplicationScoped
class ExtensionQuotes {

  private static final CallLimits LIMITS = CallLimits.of(Duration.ofSeconds(2));
  private static final Duration FAILURE_KEPT = Duration.ofSeconds(5);
  private static final int MOST = 4096;

  private final ExtensionCalls calls;
  private final Clock clock;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final AsyncCache<Key, Answer> kept =
      Caffeine.newBuilder().maximumSize(MOST).executor(threads).buildAsync();

  ExtensionQuotes(ExtensionCalls calls, Clock clock) {
    this.calls = calls;
    this.clock = clock;
  }

  /** What prices depend on: size and kind of the sandbox, and the time; not whose it is. */
  private record Key(
      ExtensionId extension,
      String host,
      @Nullable String region,
      IsolationLevel isolation,
      Resources resources,
      Map<String, Object> options,
      Duration duration,
      double activeShare) {

    static Key of(ExtensionId extension, HostRef host, CostQuery query) {
      return new Key(
          extension,
          host.id(),
          query.region(),
          query.spec().isolation(),
          query.spec().resources(),
          query.spec().options(),
          query.duration(),
          query.activeShare());
    }
  }

  /**
   * An answer.
   *
   * @param quote null if there is none
   * @param failure why there is none, empty if there is one
   * @param until kept as long
   */
  record Answer(@Nullable MeterQuote quote, String failure, Instant until) {}

  /** The answer that is kept, or that of a new call, which takes at most two seconds. */
  CompletableFuture<Answer> ask(ExtensionId extension, HostRef host, CostQuery query) {
    Key key = Key.of(extension, host, query);
    CompletableFuture<Answer> known = kept.getIfPresent(key);
    if (known != null && known.isDone() && !known.join().until().isAfter(clock.instant())) {
      var _ = kept.asMap().remove(key, known);
    }
    return kept.get(
        key, (_, _) -> CompletableFuture.supplyAsync(() -> call(extension, host, query), threads));
  }

  private Answer call(ExtensionId extension, HostRef host, CostQuery query) {
    try {
      MeterQuote quote =
          calls.call(
              extension.text(),
              host,
              "estimateCost",
              LIMITS,
              (asked, call) -> complete(asked.estimateCost(query, call)));
      return new Answer(quote, "", quote.validUntil());
    } catch (ExtensionException e) {
      String failure = "%s gives no price: %s".formatted(extension, e.getMessage());
      return new Answer(null, failure, clock.instant().plus(FAILURE_KEPT));
    }
  }

  /** Extensions are compiled elsewhere: what must not be null may be. */
  private static MeterQuote complete(MeterQuote quote) {
    Objects.requireNonNull(quote.basis(), "basis");
    Objects.requireNonNull(quote.minimum(), "minimum");
    Objects.requireNonNull(quote.granularity(), "granularity");
    Objects.requireNonNull(quote.validUntil(), "valid until");
    return quote;
  }
}
