package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.spi.Progress;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;

/** Tells of the steps of a create that people wait for. Others are only logged. */
@ApplicationScoped
class ProgressEvents {

  private static final Logger LOG = Logger.getLogger(ProgressEvents.class);
  private static final String PULL = "image_pull";

  /** Not the single layers: an event is for ever. */
  private static final Set<String> TOLD = Set.of("started", "done");

  private final Jdbi jdbi;
  private final Sandboxes sandboxes;

  ProgressEvents(Jdbi jdbi, Sandboxes sandboxes) {
    this.jdbi = jdbi;
    this.sandboxes = sandboxes;
  }

  void progressed(Sandbox sandbox, Attempt attempt, Progress step) {
    LOG.debugf(
        "progress sandbox=%s attempt=%s step=%s detail=%s",
        sandbox.publicId(), attempt.id(), step.step(), step.detail());
    if (step.step().equals(PULL) && TOLD.contains(step.detail().getOrDefault("status", ""))) {
      tell(sandbox, step);
    }
  }

  /** One note at a time is a transaction of its own; a worker that lost its claim says nothing. */
  private void tell(Sandbox sandbox, Progress step) {
    Change note = Change.note(sandbox.id(), "sandbox." + PULL).claimed(sandbox.claimToken());
    step.detail().forEach(note::detail);
    jdbi.useTransaction(
        open -> {
          var _ = sandboxes.apply(open, note);
        });
  }
}
