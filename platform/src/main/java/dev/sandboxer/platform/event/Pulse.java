package dev.sandboxer.platform.event;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Runs one job on one virtual thread: soon after each beat, and else every quarter of a second. Any
 * number of beats during a run cause one more run.
 */
public final class Pulse {

  private static final Logger LOG = Logger.getLogger(Pulse.class);
  private static final long POLL_MILLIS = 250;

  private final Semaphore beats = new Semaphore(0);
  private volatile @Nullable Thread thread;

  /** Asks for a run soon. Costs next to nothing. */
  public void beat() {
    if (beats.availablePermits() == 0) {
      beats.release();
    }
  }

  /**
   * Starts.
   *
   * @param name of the thread, for the log
   * @param job to run; one that fails is logged and runs again at the next beat
   */
  public void start(String name, Runnable job) {
    thread = Thread.ofVirtual().name(name).start(() -> repeat(name, job));
  }

  private void repeat(String name, Runnable job) {
    try {
      while (!Thread.currentThread().isInterrupted()) {
        var _ = beats.tryAcquire(POLL_MILLIS, TimeUnit.MILLISECONDS);
        beats.drainPermits();
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

  /** Ends after the present run. */
  public void stop() {
    Thread running = thread;
    if (running != null) {
      running.interrupt();
    }
  }
}
