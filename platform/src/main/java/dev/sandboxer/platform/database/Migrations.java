package dev.sandboxer.platform.database;

import dev.sandboxer.platform.installation.StartupException;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.SQLException;
import java.util.Arrays;
import java.util.Optional;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.MigrationInfo;
import org.flywaydb.core.api.exception.FlywayValidateException;
import org.flywaydb.core.api.output.MigrateResult;
import org.jboss.logging.Logger;

/** Brings the database to this release's shape, and refuses one of a newer release. */
@ApplicationScoped
class Migrations {

  private static final Logger LOG = Logger.getLogger(Migrations.class);

  private final Flyway flyway;

  Migrations(Flyway flyway) {
    this.flyway = flyway;
  }

  void migrate() {
    try {
      refuseNewer(flyway.info().all());
      MigrateResult result = flyway.migrate();
      LOG.infof("database migrated, %d applied now", result.migrationsExecuted);
    } catch (FlywayValidateException e) {
      throw new StartupException(
          "the database was changed by hand or by another build: " + firstLine(e), e);
    } catch (FlywayException e) {
      throw new StartupException("the database cannot be migrated: " + firstLine(e), e);
    }
  }

  private static void refuseNewer(MigrationInfo[] all) {
    Optional<MigrationInfo> newer =
        Arrays.stream(all)
            .filter(info -> info.getState().isApplied() && !info.getState().isResolved())
            .findFirst();
    if (newer.isPresent()) {
      throw new StartupException(
          "the database was migrated by a newer release (migration %s '%s'): start that release or a later one"
              .formatted(newer.get().getVersion(), newer.get().getDescription()));
    }
  }

  private static String firstLine(FlywayException e) {
    Throwable cause = e;
    while (cause.getCause() != null && !(cause instanceof SQLException)) {
      cause = cause.getCause();
    }
    return String.valueOf(cause.getMessage()).lines().findFirst().orElse("no reason given");
  }
}
