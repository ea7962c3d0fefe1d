package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.access.Principal;
import io.vertx.core.json.JsonObject;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;

/** {@code /readyz}: whether boxes of the default profile can be made. Anybody may ask often. */
@ApplicationScoped
class Readiness {

  private static final Duration KEPT = Duration.ofSeconds(5);

  private final BackendInfo backends;
  private final Clock clock;
  private JsonObject last = new JsonObject();
  private Instant at = Instant.MIN;

  Readiness(BackendInfo backends, Clock clock) {
    this.backends = backends;
    this.clock = clock;
  }

  /** As it was within the last seconds. */
  synchronized JsonObject now(Supplier<Principal> principal) {
    if (at.isBefore(clock.instant().minus(KEPT))) {
      Principal who = principal.get();
      last = read(backends.of(who.tenantId(), who.keyId(), ProfileRules.of("default")));
      at = clock.instant();
    }
    return last.copy();
  }

  private static JsonObject read(JsonObject backend) {
    boolean available = backend.getBoolean("available");
    return new JsonObject()
        .put("ready", available)
        .put("mode", "standard")
        .put("backend", backend)
        .put("checks", new JsonObject().put("backend_available", available));
  }
}
