package dev.sandboxer.platform.database;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import org.jdbi.v3.core.Jdbi;

/** Lends the database to other features; whoever gets it, gets it migrated. */
@ApplicationScoped
class DatabaseBeans {

  @Produces
  @Singleton
  Jdbi jdbi(BoundedConnections connections) {
    return Jdbi.create(connections).installPlugin(new IdColumns());
  }
}
