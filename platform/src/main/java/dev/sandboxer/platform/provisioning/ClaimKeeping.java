package dev.sandboxer.platform.provisioning;

import java.time.Duration;
import java.util.function.BooleanSupplier;
import org.jboss.logging.Logger;

/**
 * Renews a claim while the thread that made this works on it, and interrupts it once it is lost.
 */
final class ClaimKeeping implements AutoCloseable {

  private static final Logger LOG = Logger.getLogger(ClaimKeeping.class);
  private static final Duration EVERY = Duration.ofSeconds(15);

  private final Thread worker = Thread.currentThread();
  private final BooleanSupplier renewal;
  private final Thread keeper;

  /**
   * Begins.
   *
   * @param renewal false once the claim is lost
   */
  ClaimKeeping(BooleanSupplier renewal) {
    this.renewal = renewal;
    this.keeper = Thread.ofVirtual().start(this::keep);
  }

  private void keep() {
    try {
      do {
        Thread.sleep(EVERY);
      } while (renewed());
      worker.interrupt();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt(); // closed
    }
  }

  /** A database that does not answer has taken no claim away yet. */
  private boolean renewed() {
    try {
      return renewal.getAsBoolean();
    } catch (RuntimeException e) {
      LOG.warnf("claim not renewed reason=%s", e);
      return true;
    }
  }

  @Override
  public void close() {
    keeper.interrupt();
  }
}
