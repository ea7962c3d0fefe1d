package dev.sandboxer.platform.database;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import javax.sql.DataSource;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jdbi.v3.core.Jdbi;

/** Lends the database to other features; whoever gets it, gets it migrated. */
@ApplicationScoped
class DatabaseBeans {

  /** Connections that are being made or validated. */
  private static final int SPARE = 4;

  @Produces
  @Singleton
  Jdbi jdbi(
      DataSource source,
      Migrations migrations,
      @ConfigProperty(name = "quarkus.datasource.jdbc.max-size") int most) {
    migrations.migrate();
    return Jdbi.create(new BoundedConnections(source, most - SPARE));
  }
}
