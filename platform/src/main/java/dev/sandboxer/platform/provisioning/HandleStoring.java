package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.sandbox.Sandbox;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.BooleanSupplier;

/** A handle on its way into the database, on a thread of its own. Closing waits for its end. */
final class HandleStoring implements AutoCloseable {

  private final Sandbox sandbox;
  private final FutureTask<Boolean> task;

  /**
   * Begins.
   *
   * @param store false if another worker has taken over
   */
  HandleStoring(Sandbox sandbox, BooleanSupplier store) {
    this.sandbox = sandbox;
    this.task = new FutureTask<>(store::getAsBoolean);
    Thread.ofVirtual().name("store handle").start(task);
  }

  /**
   * Waits until it is stored.
   *
   * @throws ClaimLostException if it is not, as another worker has taken over
   */
  void await() throws ClaimLostException {
    if (!result()) {
      throw new ClaimLostException(sandbox.id());
    }
  }

  private boolean result() {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return task.get();
        } catch (InterruptedException e) {
          interrupted = true; // what was begun must be known to have ended
        }
      }
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RuntimeException told ? told : new IllegalStateException(e);
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** Whatever came of it: whoever failed meanwhile must not be overtaken by it. */
  @Override
  public void close() {
    try {
      var _ = result();
    } catch (RuntimeException e) {
      // told by await, or of no account beside what failed
    }
  }
}
