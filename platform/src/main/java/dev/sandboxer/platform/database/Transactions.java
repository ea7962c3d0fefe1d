package dev.sandboxer.platform.database;

import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.context.control.ActivateRequestContext;
import jakarta.persistence.EntityManager;
import jakarta.transaction.TransactionManager;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;

/**
 * What entities and SQL do together. A transaction has one connection; its handle is the way to it
 * for SQL. Writes of entities reach the database when they are flushed, at the latest before the
 * commit.
 */
@ApplicationScoped
public class Transactions {

  private final BoundedConnections connections;
  private final JtaTransactions jta;
  private final EntityManager entities;

  Transactions(BoundedConnections connections, TransactionManager manager, EntityManager entities) {
    this.connections = connections;
    this.jta = new JtaTransactions(manager, connections);
    this.entities = entities;
  }

  /**
   * Runs work in a transaction of its own. The thread must have none, nor a handle: it would wait
   * for a second connection.
   *
   * @param <T> what the work gives
   * @param work gets the transaction's handle; {@link Handle#afterCommit} and {@link
   *     Handle#afterRollback} work as ever
   * @return what the work gave, once that is committed
   */
  public <T> T inTransaction(Function<Handle, T> work) {
    return connections.withRoom(() -> jta.run(work::apply));
  }

  /**
   * Runs work without a result in a transaction of its own.
   *
   * @param work as {@link #inTransaction} has it
   */
  public void useTransaction(Consumer<Handle> work) {
    connections.withRoom(
        () ->
            jta.run(
                handle -> {
                  work.accept(handle);
                  return true;
                }));
  }

  /**
   * Reads entities: in the thread's transaction if it has one, else without any, as they are in the
   * database now.
   *
   * @param <T> what is read
   * @param reading may not write; an entity that it returns is no longer followed
   * @return what was read
   */
  public <T> T read(Supplier<T> reading) {
    return connections.inTransaction()
        ? reading.get()
        : connections.withRoom(() -> readAnew(reading));
  }

  /** Within a request its session, else one for this read. */
  @ActivateRequestContext
  <T> T readAnew(Supplier<T> reading) {
    try {
      return reading.get();
    } finally {
      entities.clear();
    }
  }
}
