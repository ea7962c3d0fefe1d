package dev.sandboxer.platform.database;

import io.agroal.api.AgroalPoolInterceptor;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jboss.logging.Logger;

/**
 * Exempts the start from the limit on idle transactions: on a busy machine the process may load
 * classes, migrate and make keys for seconds between two statements, and a start that fails helps
 * nobody. Each connection gets its limits back when it returns to the pool.
 */
@Singleton
public class IdleTransactionLimit implements AgroalPoolInterceptor {

  private static final Logger LOG = Logger.getLogger(IdleTransactionLimit.class);

  private final String limits;
  private final Set<Connection> exempt = ConcurrentHashMap.newKeySet();
  private volatile boolean starting = true;

  IdleTransactionLimit(
      @ConfigProperty(name = "quarkus.datasource.jdbc.new-connection-sql") String limits) {
    this.limits = limits;
  }

  /** The start is over: from now on every connection that is taken has the limit. */
  public void enforce() {
    starting = false;
  }

  @Override
  public void onConnectionAcquire(Connection connection) {
    if (starting) {
      change(connection, "set idle_in_transaction_session_timeout = 0", true);
    }
  }

  @Override
  public void onConnectionReturn(Connection connection) {
    if (!exempt.isEmpty()) {
      change(connection, limits, false);
    }
  }

  private void change(Connection connection, String sql, boolean begin) {
    try (Statement statement = connection.createStatement()) {
      Connection session = connection.unwrap(Connection.class);
      if (begin ? exempt.add(session) : exempt.remove(session)) {
        statement.execute(sql);
      }
    } catch (SQLException e) {
      // A connection that takes no statement is broken: whoever uses it next finds out.
      LOG.debugf("limits of a session are not changed reason=%s", e);
    }
  }
}
