package dev.sandboxer.platform.event;

import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Transition;
import dev.sandboxer.platform.sandbox.TransitionListener;
import jakarta.enterprise.context.ApplicationScoped;
import org.jdbi.v3.core.Handle;

/** Writes each transition as an event, numbered under the sandbox's row lock. */
@ApplicationScoped
class EventLog implements TransitionListener {

  private final EventWriter writer;

  EventLog(EventWriter writer) {
    this.writer = writer;
  }

  @Override
  public void changed(Handle transaction, Transition transition) {
    Sandbox sandbox = transition.sandbox();
    writer.write(
        transaction,
        new EventWriter.Entry(
            sandbox.publicId(),
            sandbox.eventSeq(),
            sandbox.tenantId(),
            sandbox.id(),
            transition.type(),
            sandbox.consumer(),
            sandbox.state().text(),
            EventDetail.of(transition)));
  }
}
