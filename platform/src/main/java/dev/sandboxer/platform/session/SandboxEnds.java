package dev.sandboxer.platform.session;

import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.platform.sandbox.Transition;
import dev.sandboxer.platform.sandbox.TransitionListener;
import jakarta.enterprise.context.ApplicationScoped;
import org.jdbi.v3.core.Handle;

/**
 * A sandbox that fails or ends takes its sessions with it, in the same transaction, and says so.
 */
@ApplicationScoped
class SandboxEnds implements TransitionListener {

  private static final String END =
      """
      with ended as (
        update session set ended_at = clock_timestamp(), end_reason = :reason
        where sandbox_id = :sandbox and ended_at is null
        returning id, created_at)
      select id from ended order by created_at, id
      """;

  private final Sandboxes sandboxes;

  SandboxEnds(Sandboxes sandboxes) {
    this.sandboxes = sandboxes;
  }

  @Override
  public void changed(Handle transaction, Transition transition) {
    Sandbox sandbox = transition.sandbox();
    boolean over =
        switch (sandbox.state()) {
          case EXPIRED, FAILED, DESTROYING -> true;
          default -> false; // a destroyed sandbox was one of these before
        };
    if (over && transition.type().startsWith("sandbox.")) {
      String reason = reason(sandbox);
      transaction
          .createQuery(END)
          .bind("reason", reason)
          .bind("sandbox", sandbox.id())
          .mapTo(String.class)
          .list()
          .forEach(session -> tell(transaction, sandbox, session, reason));
    }
  }

  private void tell(Handle transaction, Sandbox sandbox, String session, String reason) {
    var _ =
        sandboxes.apply(
            transaction,
            Change.note(sandbox.id(), "session.ended")
                .detail("session_id", session)
                .detail("end_reason", reason));
  }

  private static String reason(Sandbox sandbox) {
    if (sandbox.state() == SandboxState.FAILED) {
      return "failed";
    }
    String reason = sandbox.endReason();
    return reason == null ? "requested" : reason;
  }
}
