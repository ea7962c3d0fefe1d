package dev.sandboxer.platform.ops;

import io.quarkus.scheduler.FailedExecution;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.concurrent.CompletionException;
import org.jboss.logging.Logger;

/** Logs a repeated job that failed; it runs again when it is due next. */
@ApplicationScoped
class FailedJobs {

  private static final Logger LOG = Logger.getLogger(FailedJobs.class);

  void failed(@Observes FailedExecution failed) {
    LOG.warnf(
        "job failed name=%s reason=%s",
        failed.getExecution().getTrigger().getId(), reason(failed.getException()));
  }

  /** A job's thread hands its failure on inside another one. */
  private static Throwable reason(Throwable thrown) {
    Throwable cause = thrown.getCause();
    return thrown instanceof CompletionException && cause != null ? cause : thrown;
  }
}
