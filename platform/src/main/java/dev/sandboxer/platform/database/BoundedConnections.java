package dev.sandboxer.platform.database;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jdbi.v3.core.ConnectionFactory;

/**
 * Lets fewer threads at the pool than it has connections. The pool looks for a free connection
 * without ever pausing; virtual threads that do so in numbers keep all carriers busy, and the one
 * that would give a connection back never runs again. Here they wait in line instead.
 */
final class BoundedConnections implements ConnectionFactory {

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  private final DataSource source;
  private final Semaphore room;

  BoundedConnections(DataSource source, int most) {
    this.source = source;
    this.room = new Semaphore(most, true);
  }

  @Override
  public Connection openConnection() throws SQLException {
    await();
    try {
      return source.getConnection();
    } catch (SQLException | RuntimeException e) {
      room.release();
      throw e;
    }
  }

  @Override
  public void closeConnection(Connection connection) throws SQLException {
    try {
      connection.close();
    } finally {
      room.release();
    }
  }

  private void await() throws SQLException {
    try {
      if (!room.tryAcquire(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
        throw new SQLException("no connection became free within " + PATIENCE);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new SQLException("interrupted while waiting for a connection", e);
    }
  }
}
