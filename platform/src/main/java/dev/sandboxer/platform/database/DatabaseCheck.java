package dev.sandboxer.platform.database;

import dev.sandboxer.platform.health.FeatureCheck;
import dev.sandboxer.platform.health.Finding;
import jakarta.inject.Singleton;
import java.util.List;
import org.eclipse.microprofile.health.Readiness;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;

/** Whether the database answers; without it no request can be served. */
@Readiness
@Singleton
class DatabaseCheck extends FeatureCheck {

  private static final Logger LOG = Logger.getLogger(DatabaseCheck.class);

  private final Jdbi jdbi;

  DatabaseCheck(Jdbi jdbi) {
    super("database");
    this.jdbi = jdbi;
  }

  @Override
  public List<Finding> findings() {
    boolean up = answers();
    return List.of(new Finding("database", up, up ? "answers" : "does not answer"));
  }

  private boolean answers() {
    try {
      return jdbi.withHandle(handle -> handle.createQuery("select 1").mapTo(Integer.class).one())
          == 1;
    } catch (RuntimeException e) {
      LOG.debugf("readiness: the database does not answer reason=%s", e);
      return false;
    }
  }
}
