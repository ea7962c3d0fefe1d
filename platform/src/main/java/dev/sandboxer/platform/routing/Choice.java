package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.pricing.Quote;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.routing.Score;
import org.jspecify.annotations.Nullable;

/**
 * A candidate with what its rank rests on.
 *
 * @param candidate backend and place
 * @param score of the strategy
 * @param load of the host, 0 for none, 1 for all of its room
 * @param limited whether the host's room is limited
 * @param region of the host, null if it has none
 * @param quote for the time to live, null if nobody knows one
 */
public record Choice(
    Candidate candidate,
    Score score,
    double load,
    boolean limited,
    @Nullable String region,
    Quote.@Nullable Priced quote) {

  /**
   * Whom to ask.
   *
   * @return the backend
   */
  public ExtensionId extension() {
    return candidate.extension();
  }

  /**
   * Where.
   *
   * @return the host
   */
  public HostRef host() {
    return candidate.host();
  }
}
