package dev.sandboxer.platform.ops;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Runs one job on one virtual thread: soon after each wake-up, and else after a pause of less than
 * a second. Any number of wake-ups during a run cause one more run. Jobs that run once a second or
 * slower are {@code @Scheduled}.
 */
public final class WakeableLoop {

  private static final Logger LOG = Logger.getLogger(WakeableLoop.class);

  private final Duration pause;
  private final Semaphore wakeUps = new Semaphore(0);
  private volatile @Nullable Thread thread;

  /**
   * Makes a loop that does not run yet.
   *
   * @param pause between two runs without a wake-up
   */
  public WakeableLoop(Duration pause) {
    this.pause = pause;
  }

  /** Asks for a run soon. Costs next to nothing. */
  public void wake() {
    if (wakeUps.availablePermits() == 0) {
      wakeUps.release();
    }
  }

  /**
   * Starts.
   *
   * @param name of the thread, for the log
   * @param job to run; one that fails is logged and runs again at the next wake-up or after the
   *     pause
   */
  public void start(String name, Runnable job) {
    thread = Thread.ofVirtual().name(name).start(() -> repeat(name, job));
  }

  private void repeat(String name, Runnable job) {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        var _ = wakeUps.tryAcquire(pause.toMillis(), TimeUnit.MILLISECONDS);
        wakeUps.drainPermits();
        run(name, job);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void run(String name, Runnable job) {
    try {
      job.run();
    } catch (RuntimeException e) {
      LOG.warnf("job failed name=%s reason=%s", name, e);
    }
  }

  /** Interrupts the present run and ends. */
  public void stop() {
    Thread running = thread;
    if (running != null) {
      running.interrupt();
    }
  }
}
