package dev.sandboxer.platform.order;

import dev.sandboxer.platform.pricing.Money;
import dev.sandboxer.platform.routing.RequestedRouting;
import dev.sandboxer.platform.sandbox.Consumer;
import dev.sandboxer.spi.Mount;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a door asks for, in the caller's words.
 *
 * @param tenantId owner
 * @param principalId the key that asks
 * @param profile {@code <name>} or {@code profile.<name>}, optionally {@code @version}
 * @param inputs of the profile, as texts
 * @param consumer who asks
 * @param life how long it lives
 * @param labels of the request
 * @param env of the request, laid over the profile's
 * @param mounts of the request beside the profile's, where the profile lets it; the paths follow
 *     {@code MountRules} and do not overlap
 * @param routing what the request says about it, where the profile lets it
 * @param maxCost what it may cost for its time to live; empty for the profile's
 */
public record OrderRequest(
    String tenantId,
    String principalId,
    String profile,
    Map<String, String> inputs,
    Consumer consumer,
    Life life,
    Map<String, String> labels,
    Map<String, String> env,
    List<Mount> mounts,
    Optional<RequestedRouting> routing,
    Optional<Money> maxCost) {

  /**
   * A request for what a profile makes by itself, to see where it would go.
   *
   * @param tenantId owner
   * @param principalId the key that asks
   * @param profile {@code <name>} or {@code profile.<name>}, optionally {@code @version}
   * @param consumer who asks
   * @return without inputs, mounts, labels or environment
   */
  public static OrderRequest plain(
      String tenantId, String principalId, String profile, Consumer consumer) {
    return new OrderRequest(
        tenantId,
        principalId,
        profile,
        Map.of(),
        consumer,
        new Life.Ttl(Optional.empty()),
        Map.of(),
        Map.of(),
        List.of(),
        Optional.empty(),
        Optional.empty());
  }

  /** How long a sandbox lives. */
  public sealed interface Life {

    /**
     * A time after ready.
     *
     * @param seconds empty for the profile's own
     */
    record Ttl(Optional<Long> seconds) implements Life {}

    /** As long as the session that it is made for, within the profile's hard limit. */
    record OfSession() implements Life {}
  }
}
