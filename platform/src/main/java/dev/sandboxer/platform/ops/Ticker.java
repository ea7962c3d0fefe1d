package dev.sandboxer.platform.ops;

import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jboss.logging.Logger;

/** Runs the node's repeated jobs, each on a virtual thread, never twice at once. */
@ApplicationScoped
public class Ticker {

  private static final Logger LOG = Logger.getLogger(Ticker.class);

  private final ScheduledExecutorService threads =
      Executors.newScheduledThreadPool(4, Thread.ofVirtual().name("tick-", 0).factory());

  /**
   * Repeats a job. One that fails is logged and runs again next time.
   *
   * @param name for the log
   * @param pause between its end and its next start
   * @param job to run
   */
  public void every(String name, Duration pause, Runnable job) {
    var _ =
        threads.scheduleWithFixedDelay(
            () -> run(name, job), pause.toMillis(), pause.toMillis(), TimeUnit.MILLISECONDS);
  }

  private static void run(String name, Runnable job) {
    try {
      job.run();
    } catch (RuntimeException e) {
      LOG.warnf("job failed name=%s reason=%s", name, e);
    }
  }

  /** Starts nothing more. */
  public void stop() {
    threads.shutdownNow();
  }
}
