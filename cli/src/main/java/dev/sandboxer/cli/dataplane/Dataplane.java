package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.client.Sandboxes;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import org.jspecify.annotations.Nullable;

/**
 * One sandbox's dataplane: its addresses and a token that is renewed when a call needs it. Not for
 * use by several threads.
 */
public final class Dataplane {
  private static final Duration MARGIN = Duration.ofSeconds(30);

  private final Sandboxes sandboxes;
  private final Clock clock;
  private final String id;
  private @Nullable Access access;

  public Dataplane(Sandboxes sandboxes, Clock clock, String id) {
    this.sandboxes = sandboxes;
    this.clock = clock;
    this.id = id;
  }

  /** A grant that is good for at least half a minute. */
  public Access access() throws InterruptedException {
    Access known = access;
    if (known == null || known.expiresAt().minus(MARGIN).isBefore(clock.instant())) {
      known = Access.of(sandboxes.access(id));
      access = known;
    }
    return known;
  }

  /** The next call asks for a new grant: the one at hand may no longer count. */
  public void forget() {
    access = null;
  }

  /** The sandbox's id. */
  public String id() {
    return id;
  }

  /**
   * A grant.
   *
   * @param http base of the dataplane's HTTP routes, without a trailing slash
   * @param ws the same for WebSockets
   */
  public record Access(URI http, URI ws, String token, Instant expiresAt) {
    static Access of(JsonNode json) {
      try {
        return new Access(
            base(json, "http_base_url", "http"),
            base(json, "ws_base_url", "ws"),
            json.path("token").asText(),
            Instant.parse(json.path("expires_at").asText()));
      } catch (IllegalArgumentException | DateTimeParseException e) {
        throw Failure.sandboxer("the platform's grant cannot be read: " + e.getMessage(), e);
      }
    }

    private static URI base(JsonNode json, String field, String scheme) {
      String text = json.path(field).asText();
      URI base = URI.create(text.replaceAll("/+$", ""));
      boolean named = scheme.equals(base.getScheme()) || (scheme + "s").equals(base.getScheme());
      if (!named || base.getHost() == null) {
        throw new IllegalArgumentException(
            field + " is '" + text + "', not an address " + scheme + "(s)://HOST/...");
      }
      return base;
    }

    @Override
    public String toString() {
      return http.toString(); // the token stays out of every message
    }
  }
}
