package dev.sandboxer.platform.database;

import jakarta.transaction.HeuristicMixedException;
import jakarta.transaction.HeuristicRollbackException;
import jakarta.transaction.NotSupportedException;
import jakarta.transaction.RollbackException;
import jakarta.transaction.SystemException;
import jakarta.transaction.TransactionManager;
import java.sql.SQLException;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.HandleCallback;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.transaction.DelegatingTransactionHandler;
import org.jdbi.v3.core.transaction.LocalTransactionHandler;
import org.jdbi.v3.core.transaction.TransactionException;
import org.jdbi.v3.core.transaction.TransactionIsolationLevel;

/**
 * Ends the transactions of Jdbi's handles where JTA keeps them, so that what waits for the end of a
 * handle's transaction is run.
 */
final class JtaTransactions extends DelegatingTransactionHandler {

  private final TransactionManager manager;
  private final BoundedConnections connections;
  private final Jdbi jdbi;

  JtaTransactions(TransactionManager manager, BoundedConnections connections) {
    super(LocalTransactionHandler.binding());
    this.manager = manager;
    this.connections = connections;
    this.jdbi = Jdbi.create(connections.unbounded()).installPlugin(new IdColumns());
    var _ = jdbi.setTransactionHandler(this);
  }

  /** In a new transaction, which the thread must not have yet. */
  <T, X extends Exception> T run(HandleCallback<T, X> work) throws X {
    try {
      manager.begin();
    } catch (NotSupportedException | SystemException e) {
      throw new TransactionException(e);
    }
    try (Handle handle = open()) {
      return run(handle, work);
    }
  }

  private Handle open() {
    try {
      return jdbi.open();
    } catch (RuntimeException e) {
      end();
      throw e;
    }
  }

  private static <T, X extends Exception> T run(Handle handle, HandleCallback<T, X> work) throws X {
    try {
      T result = work.withHandle(handle);
      handle.commit();
      return result;
    } catch (Throwable e) {
      rollBack(handle, e);
      throw e;
    }
  }

  private static void rollBack(Handle handle, Throwable reason) {
    try {
      handle.rollback();
    } catch (RuntimeException e) {
      reason.addSuppressed(e);
    }
  }

  @Override
  public boolean isInTransaction(Handle handle) {
    return connections.inTransaction();
  }

  @Override
  public void commit(Handle handle) {
    giveBack(handle);
    try {
      manager.commit();
    } catch (RollbackException
        | HeuristicMixedException
        | HeuristicRollbackException
        | SystemException e) {
      throw new TransactionException(reason(e));
    }
  }

  /** JTA says that the commit failed; what it adds says why. */
  private static Throwable reason(Exception failure) {
    Throwable[] added = failure.getSuppressed();
    return added.length == 0 ? failure : added[0];
  }

  @Override
  public void rollback(Handle handle) {
    giveBack(handle);
    end();
  }

  /** A commit that failed has ended the transaction already. */
  private void end() {
    try {
      if (connections.inTransaction()) {
        manager.rollback();
      }
    } catch (SystemException e) {
      throw new TransactionException(e);
    }
  }

  /** To JTA, which ends the transaction and only then returns the connection to the pool. */
  private static void giveBack(Handle handle) {
    try {
      handle.getConnection().close();
    } catch (SQLException e) {
      throw new TransactionException(e);
    }
  }

  /** Another one, once the handle's has ended. */
  @Override
  public <R, X extends Exception> R inTransaction(Handle handle, HandleCallback<R, X> work)
      throws X {
    return run(work);
  }

  @Override
  public <R, X extends Exception> R inTransaction(
      Handle handle, TransactionIsolationLevel level, HandleCallback<R, X> work) {
    throw new UnsupportedOperationException("all transactions have the database's isolation level");
  }

  @Override
  public void begin(Handle handle) {
    throw new UnsupportedOperationException("use Transactions.inTransaction");
  }
}
