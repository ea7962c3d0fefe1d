package dev.sandboxer.platform.session;

import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Transition;
import dev.sandboxer.platform.sandbox.TransitionListener;
import jakarta.enterprise.context.ApplicationScoped;
import org.jdbi.v3.core.Handle;

/** A sandbox that fails or ends takes its sessions with it, in the same transaction. */
@ApplicationScoped
class SandboxEnds implements TransitionListener {

  @Override
  public void changed(Handle transaction, Transition transition) {
    Sandbox sandbox = transition.sandbox();
    boolean over = sandbox.state().ended() || sandbox.state() == SandboxState.FAILED;
    if (over && transition.type().startsWith("sandbox.")) {
      transaction
          .createUpdate(
              """
              update session set ended_at = clock_timestamp(), end_reason = :reason
              where sandbox_id = :sandbox and ended_at is null
              """)
          .bind("reason", reason(sandbox))
          .bind("sandbox", sandbox.id())
          .execute();
    }
  }

  private static String reason(Sandbox sandbox) {
    if (sandbox.state() == SandboxState.FAILED) {
      return "failed";
    }
    String reason = sandbox.endReason();
    return reason == null ? "requested" : reason;
  }
}
