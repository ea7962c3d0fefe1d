package dev.sandboxer.platform.session;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.provisioning.SandboxLifecycle;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.EndReason;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.platform.token.Revocations;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/**
 * Ends sessions. The sandbox's row is locked before the session's, here as in every transition of
 * the sandbox, so that two ends never wait for each other.
 */
@ApplicationScoped
class SessionEnds {

  private static final String HAND_ON =
      """
      update session set created_sandbox = true
      where id = (select id from session where sandbox_id = :sandbox and ended_at is null
        order by created_at, id limit 1)
      """;

  private final SandboxLifecycle lifecycle;
  private final Sandboxes sandboxes;
  private final Revocations revocations;

  SessionEnds(SandboxLifecycle lifecycle, Sandboxes sandboxes, Revocations revocations) {
    this.lifecycle = lifecycle;
    this.sandboxes = sandboxes;
    this.revocations = revocations;
  }

  /**
   * Ends one, and its sandbox if that was made for it and nobody else has it.
   *
   * @return false if it had ended before
   */
  boolean end(Handle open, String id, SandboxId sandboxId, EndReason reason) {
    return end(open, id, sandboxId, reason, null);
  }

  /** Ends one if a condition still holds, under its row's lock. */
  boolean end(
      Handle open,
      String id,
      SandboxId sandboxId,
      EndReason reason,
      @Nullable Condition condition) {
    lock(open, sandboxId);
    Query query =
        open.createQuery(
                """
                update session set ended_at = clock_timestamp(), end_reason = :reason
                where id = :id and ended_at is null and %s
                returning created_sandbox
                """
                    .formatted(condition == null ? "true" : condition.sql()))
            .bind("reason", reason.text())
            .bind("id", id);
    Optional<Boolean> created =
        (condition == null ? query : condition.bind(query)).mapTo(Boolean.class).findOne();
    if (created.isEmpty()) {
      return false;
    }
    revocations.revoke(open, Revocations.Kind.SESSION, id);
    var _ =
        sandboxes.apply(
            open,
            Change.note(sandboxId, "session.ended")
                .detail("session_id", id)
                .detail("end_reason", reason.text()));
    if (created.get() && !handOn(open, sandboxId)) {
      lifecycle.end(open, sandboxId, reason);
    }
    return true;
  }

  /** Another live session takes the sandbox over; it will end with that one. */
  private static boolean handOn(Handle open, SandboxId sandboxId) {
    return open.createUpdate(HAND_ON).bind("sandbox", sandboxId).execute() == 1;
  }

  private static void lock(Handle open, SandboxId sandboxId) {
    open.createQuery("select 1 from sandbox where id = :id for no key update")
        .bind("id", sandboxId)
        .mapTo(Integer.class)
        .one();
  }

  /**
   * What must still hold, compared with an instant that was read before.
   *
   * @param sql a constant of the code
   * @param now the instant
   * @param grace that the use of a dataplane gives
   */
  record Condition(String sql, OffsetDateTime now, Duration grace) {

    Query bind(Query query) {
      query.bind("now", now);
      return sql.contains(":grace") ? query.bind("grace", grace.toMillis() / 1000.0) : query;
    }
  }
}
