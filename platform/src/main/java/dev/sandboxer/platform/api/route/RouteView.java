package dev.sandboxer.platform.api.route;

import dev.sandboxer.platform.pricing.Money;
import java.time.Instant;
import java.util.List;
import org.eclipse.microprofile.openapi.annotations.media.Schema;
import org.jspecify.annotations.Nullable;

/** The form of a route, for OpenAPI; {@code PlanJson} writes it. */
@Schema(name = "Route")
record RouteView(String strategy, List<Candidate> candidates, List<Rejected> rejected) {

  @Schema(name = "RouteCandidate")
  record Candidate(
      int rank,
      String extension,
      String host,
      @Schema(description = "the lower the better; null for what comes last")
          @Nullable Double score,
      @Schema(description = "what the score stands for") String reason,
      @Schema(description = "share of the host's room that is taken") double load,
      boolean limited,
      @Schema(description = "for the time to live, where prices were asked for")
          @Nullable Quote quote) {}

  @Schema(name = "RouteQuote")
  record Quote(
      String amount,
      String currency,
      @Schema(description = "the same in the operator's currency") Money converted,
      String basis,
      @Schema(description = "price list and line, or the extension") String source,
      @Schema(description = "null: until somebody changes it") @Nullable Instant validUntil) {}

  @Schema(name = "RouteRejection")
  record Rejected(
      String extension,
      @Schema(description = "empty if the extension has no host") String host,
      List<Reason> reasons) {}

  @Schema(name = "RouteReason")
  record Reason(String profileKey, String message) {}
}
