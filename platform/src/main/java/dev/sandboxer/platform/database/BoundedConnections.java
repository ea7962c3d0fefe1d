package dev.sandboxer.platform.database;

import jakarta.inject.Singleton;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.jdbi.v3.core.ConnectionException;
import org.jdbi.v3.core.ConnectionFactory;

/**
 * Connections to the migrated database. Lets fewer threads at the pool than it has connections. The
 * pool looks for a free connection without ever pausing; virtual threads that do so in numbers keep
 * all carriers busy, and the one that would give a connection back never runs again. Here they wait
 * in line instead.
 */
@Singleton
final class BoundedConnections implements ConnectionFactory {

  private static final Duration PATIENCE = Duration.ofSeconds(5);

  /** Connections that are being made or validated. */
  private static final int SPARE = 4;

  private final DataSource source;
  private final TransactionSynchronizationRegistry transactions;
  private final Semaphore room;

  BoundedConnections(
      DataSource source,
      TransactionSynchronizationRegistry transactions,
      Migrations migrations,
      @ConfigProperty(name = "quarkus.datasource.jdbc.max-size") int most) {
    migrations.migrate();
    this.source = source;
    this.transactions = transactions;
    this.room = new Semaphore(most - SPARE, true);
  }

  /** In a transaction that the thread has begun it is that one's, which has room already. */
  @Override
  public Connection openConnection() throws SQLException {
    if (inTransaction()) {
      return source.getConnection();
    }
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
      if (!inTransaction()) {
        room.release();
      }
    }
  }

  /** Keeps room for one connection while work uses the pool on its own. */
  <T> T withRoom(Supplier<T> work) {
    try {
      await();
    } catch (SQLException e) {
      throw new ConnectionException(e);
    }
    try {
      return work.get();
    } finally {
      room.release();
    }
  }

  /** The pool itself, for a thread that has room. */
  ConnectionFactory unbounded() {
    return source::getConnection;
  }

  /** Whether JTA has a transaction for this thread. */
  boolean inTransaction() {
    return transactions.getTransactionKey() != null;
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
