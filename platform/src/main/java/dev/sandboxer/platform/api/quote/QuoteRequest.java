package dev.sandboxer.platform.api.quote;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.api.Body;
import dev.sandboxer.platform.api.control.ConsumerView;
import dev.sandboxer.platform.order.Order;
import dev.sandboxer.platform.order.OrderRequest;
import dev.sandboxer.platform.sandbox.Consumer;
import dev.sandboxer.spi.CostQuery;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The body of {@code POST /v1/quotes}, checked. */
@Schema(name = "QuoteRequest")
record QuoteRequest(
    @Schema(description = "profile.<name> or <name>, optionally @version", examples = "local")
        String profile,
    @Schema(description = "what the profile declares under inputs") Map<String, String> inputs,
    @Schema(
            description = "how long it would live; the profile's time to live where absent",
            examples = "7200")
        Optional<Long> durationSeconds,
    @Schema(
            description =
                "part of that time in which it computes, 0 to 1; 1 where absent. Backends that bill"
                    + " by active time count it",
            examples = "0.25")
        double activeShare,
    @Schema(description = "may be left out: nothing is recorded") @Nullable ConsumerView consumer) {

  /** Also the OpenAPI document's: a test sends it. */
  static final String EXAMPLE =
      """
      {"profile": "local", "duration_seconds": 7200, "active_share": 0.25}""";

  private static final Pattern PROFILE =
      Pattern.compile("(profile\\.)?[a-z0-9][a-z0-9-]{0,62}(@[1-9][0-9]{0,8})?");
  private static final Pattern INPUT = Pattern.compile("[A-Za-z0-9_.-]{1,63}");
  private static final int MAX_ENTRIES = 64;
  private static final int MAX_VALUE = 32 * 1024;
  private static final long MAX_SECONDS = 366L * 24 * 3600;

  static QuoteRequest read(Body body) {
    body.only("profile", "inputs", "duration_seconds", "active_share", "consumer");
    return new QuoteRequest(
        body.text("profile", PROFILE, "a profile's name, optionally with @version"),
        body.scalars("inputs", INPUT, "an input's name", MAX_ENTRIES, MAX_VALUE),
        body.optionalNumber("duration_seconds", 1, MAX_SECONDS),
        body.optionalDecimal("active_share", 0, 1).orElse(1.0),
        body.has("consumer") ? ConsumerView.read(body.object("consumer")) : null);
  }

  /** What would be created for a key's owner. */
  OrderRequest order(Principal principal) {
    return new OrderRequest(
        principal.tenantId(),
        principal.keyId(),
        profile,
        inputs,
        consumer == null
            ? new Consumer("atm", "quote", null, null, Map.of())
            : consumer.asConsumer(),
        new OrderRequest.Life.Ttl(Optional.empty()),
        Map.of(),
        Map.of(),
        List.of(),
        Optional.empty(),
        Optional.empty());
  }

  CostQuery query(Order order) {
    long seconds = durationSeconds.orElse(order.ttlSeconds());
    return new CostQuery(order.spec(), Duration.ofSeconds(seconds), activeShare, null);
  }
}
