package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.spi.Progress;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;

/** Publishes the steps of a create that people wait for, and logs the others. */
@ApplicationScoped
class ProgressEvents {

  private static final Logger LOG = Logger.getLogger(ProgressEvents.class);
  private static final String PULL = "image_pull";

  /** Not the single layers: an event is for ever. */
  private static final Set<String> PUBLISHED = Set.of("started", "done");

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
    if (step.step().equals(PULL) && PUBLISHED.contains(step.detail().getOrDefault("status", ""))) {
      publish(sandbox, "sandbox." + PULL, step.detail());
    }
  }

  /** Each in a transaction of its own; a worker that lost its claim publishes nothing. */
  void publish(Sandbox sandbox, String type, Map<String, ?> detail) {
    Change note = Change.note(sandbox.id(), type).claimed(sandbox.claimToken());
    detail.forEach(note::detail);
    jdbi.useTransaction(
        open -> {
          var _ = sandboxes.apply(open, note);
        });
  }
}
