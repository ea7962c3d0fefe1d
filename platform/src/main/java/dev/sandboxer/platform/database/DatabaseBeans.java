package dev.sandboxer.platform.database;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;

/** Lends the database to other features; whoever gets it, gets it migrated. */
@ApplicationScoped
class DatabaseBeans {

  @Produces
  @Singleton
  Jdbi jdbi(DataSource source, Migrations migrations) {
    migrations.migrate();
    return Jdbi.create(source);
  }
}
