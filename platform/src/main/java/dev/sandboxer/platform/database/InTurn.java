package dev.sandboxer.platform.database;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Lets those who come at once under one name do something one after the other: within a node in
 * turn, between nodes by the database, whose lock ends with the transaction, also when the node is
 * killed.
 */
@ApplicationScoped
public class InTurn {

  private static final Duration PAUSE = Duration.ofMillis(10);

  private final NamedLocks locks = new NamedLocks();
  private final Jdbi jdbi;

  InTurn(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /** What is done before the transaction, on this node alone: it may take its time. */
  @FunctionalInterface
  public interface Preparation<P> {

    /**
     * Prepares the work.
     *
     * @return for the work
     * @throws InterruptedException if the thread is interrupted
     */
    P run() throws InterruptedException;
  }

  /**
   * Does work in a transaction of its own when it is this thread's turn.
   *
   * @param <P> what is prepared
   * @param <T> what the work gives
   * @param name such as {@code session/ten_.../thread/thr_1}
   * @param before prepares it, once it is the turn within this node; no connection is held
   * @param work in the transaction that has the lock
   * @return what the work gave, committed
   * @throws InterruptedException if the waiting thread is interrupted
   */
  public <P, T> T run(String name, Preparation<P> before, BiFunction<Handle, P, T> work)
      throws InterruptedException {
    return run(name, name, before, work);
  }

  /**
   * The same for work that waits in the database for work of other names: those who wait for it
   * within this node hold no connection meanwhile.
   *
   * @param <P> what is prepared
   * @param <T> what the work gives
   * @param name as of {@link #run(String, Preparation, BiFunction)}
   * @param common as of {@link #here}
   * @param before prepares it, before it is the turn of the common name
   * @param work in the transaction that has the lock
   * @return what the work gave, committed
   * @throws InterruptedException if the waiting thread is interrupted
   */
  public <P, T> T run(
      String name, String common, Preparation<P> before, BiFunction<Handle, P, T> work)
      throws InterruptedException {
    return locks.inTurn(name, () -> untilLocked(name, common, before.run(), work));
  }

  /**
   * Does work when it is this thread's turn within this node: for what the database lets one do
   * after the other anyway. Those who wait here hold no connection meanwhile.
   *
   * @param <T> what the work gives
   * @param name such as {@code creates/ten_...}
   * @param work to be done
   * @return what the work gave
   * @throws InterruptedException if the waiting thread is interrupted
   */
  public <T> T here(String name, Supplier<T> work) throws InterruptedException {
    return locks.inTurn(name, work::get);
  }

  /** Other nodes are waited for without holding a connection, which the first might need. */
  private <P, T> T untilLocked(
      String name, String common, P prepared, BiFunction<Handle, P, T> work)
      throws InterruptedException {
    while (true) {
      Optional<T> done =
          here(
              common,
              () ->
                  jdbi.inTransaction(
                      open ->
                          take(open, name)
                              ? Optional.of(work.apply(open, prepared))
                              : Optional.empty()));
      if (done.isPresent()) {
        return done.get();
      }
      Thread.sleep(PAUSE);
    }
  }

  /**
   * Takes the turn in a transaction, if nobody has it. Those who come meanwhile wait until the
   * transaction ends.
   *
   * @param open the transaction
   * @param name as of {@link #run}
   * @return false if somebody has it
   */
  public boolean take(Handle open, String name) {
    return open.createQuery("select pg_try_advisory_xact_lock(hashtextextended(:name, 0))")
        .bind("name", name)
        .mapTo(Boolean.class)
        .one();
  }
}
