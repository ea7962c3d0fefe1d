package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.admission.Admissions;
import dev.sandboxer.platform.api.langbot.BoxError.Kind;
import dev.sandboxer.platform.audit.AuditEntry;
import dev.sandboxer.platform.audit.AuditLog;
import dev.sandboxer.platform.problem.RequestId;
import io.vertx.core.json.JsonObject;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Clock;
import java.util.Optional;

/** Runs calls of actions, and enters into the audit what they changed. */
@ApplicationScoped
class Calls {

  private static final String SESSION = "session_id";

  private final Actions actions;
  private final Admissions admissions;
  private final AuditLog audit;
  private final Clock clock;

  Calls(Actions actions, Admissions admissions, AuditLog audit, Clock clock) {
    this.actions = actions;
    this.admissions = admissions;
    this.audit = audit;
    this.clock = clock;
  }

  /** Runs the call that a message is. */
  Reply run(Client client, JsonObject message, Cancellable cancellable)
      throws InterruptedException {
    String name = new Fields(message).text("action");
    Actions.Action action = actions.named(name);
    if (!(message.getValue("data") instanceof JsonObject data)) {
      throw BoxError.invalid("field 'data' must be an object");
    }
    Optional<Placement> placed =
        Actions.ofHost(name) ? Optional.empty() : CallContext.read(client, message);
    ActionCall call = new ActionCall(client, data, placed, cancellable);
    if (Actions.quiet(name)) {
      return run(call, action);
    }
    String result = AuditEntry.OK;
    try {
      return run(call, action);
    } catch (RuntimeException e) {
      result = Failures.of(e).kind().name();
      throw e;
    } finally {
      enter(call, name, result);
    }
  }

  private Reply run(ActionCall call, Actions.Action action) throws InterruptedException {
    call.placed().ifPresent(placed -> admissions.observe(placed.workspace(), placed.generation()));
    return action.run(call);
  }

  private void enter(ActionCall call, String name, String result) {
    String session = call.data().getValue(SESSION) instanceof String id ? id : null;
    audit.record(
        new AuditEntry(
            0,
            clock.instant(),
            RequestId.takeOrMake(null),
            call.client().principal().keyId(),
            null,
            call.client().principal().tenantId(),
            session == null ? null : "box",
            session == null
                ? null
                : call.placed().map(placed -> placed.prefix() + session).orElse(session),
            null,
            null,
            "langbot." + name,
            result,
            call.client().address()));
  }

  /** A reply that failed. */
  static JsonObject failed(Object seq, BoxError error) {
    return new JsonObject()
        .put("seq_id", seq)
        .put("code", 1)
        .put("message", error.text())
        .put("data", new JsonObject())
        .put("chunk_status", "continue");
  }

  /** A reply with what was asked for. */
  static JsonObject done(Object seq, JsonObject data) {
    return new JsonObject()
        .put("seq_id", seq)
        .put("code", 0)
        .put("message", "success")
        .put("data", data)
        .put("chunk_status", "continue");
  }

  /** What too many calls at once get. */
  static BoxError busy(int most) {
    return new BoxError(
        Kind.CAPACITY_EXCEEDED,
        "this connection has %d calls in flight, which is the most".formatted(most));
  }
}
