package dev.sandboxer.platform.boot;

import dev.sandboxer.platform.installation.Installation;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import org.jboss.logging.Logger;

/** Opens the database and the installation before anything listens or works. */
@ApplicationScoped
class EarlyStart {

  private static final Logger LOG = Logger.getLogger(EarlyStart.class);
  private static final int FIRST = 1;

  void start(@Observes @Priority(FIRST) StartupEvent event, Installation installation) {
    installation.doubt().ifPresent(doubt -> LOG.warnf("sweeps only report: %s", doubt));
    LOG.debugf("installation %s is open after %s", installation.id(), event);
  }
}
