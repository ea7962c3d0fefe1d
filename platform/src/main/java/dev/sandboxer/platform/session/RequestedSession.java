package dev.sandboxer.platform.session;

import dev.sandboxer.platform.idempotency.IdempotencyKey;
import dev.sandboxer.platform.sandbox.Consumer;
import dev.sandboxer.platform.token.Capability;
import io.vertx.core.json.JsonObject;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A checked request for a session.
 *
 * @param onBehalfOf who asks
 * @param dialect how errors are named
 * @param scope what is to be bound
 * @param threadId the thread that it is for, null if none was named
 * @param runId the run that it is for, null if none was named
 * @param mode what may be done
 * @param requested capabilities, empty for all that are allowed
 * @param profile wanted, empty for the scope type's
 * @param inputs of the profile, empty for none
 * @param sandboxHint raw id of a sandbox to bind
 * @param provider wanted extension, empty for any
 * @param consumer for what the sandbox is; its session and run are this request's
 * @param key makes a repetition give the same session, null if none was sent
 * @param patience how long to wait for the sandbox
 * @param warnings what of the request was ignored, each a sentence
 */
public record RequestedSession(
    OnBehalfOf onBehalfOf,
    ProtocolDialect dialect,
    Scope scope,
    @Nullable String threadId,
    @Nullable String runId,
    Mode mode,
    Optional<Set<Capability>> requested,
    Optional<String> profile,
    Optional<Map<String, String>> inputs,
    Optional<String> sandboxHint,
    Optional<String> provider,
    Consumer consumer,
    @Nullable IdempotencyKey key,
    Duration patience,
    List<String> warnings) {

  /** Keeps an immutable copy. */
  public RequestedSession {
    warnings = List.copyOf(warnings);
  }

  /** Whether the lease of heartbeats is to hold. */
  boolean heartbeat() {
    return dialect == ProtocolDialect.FULL;
  }

  String tenantId() {
    return onBehalfOf.principal().tenantId();
  }

  /** The inputs as they are stored and compared. */
  Optional<String> inputsText() {
    return inputs.map(values -> new JsonObject(new TreeMap<>(values)).encode());
  }
}
