package dev.sandboxer.platform.provisioning;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.trace.LogFields;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.jboss.logging.Logger;

/** Runs the clean-up of claimed debts, each on a virtual thread; the number at once is bounded. */
@ApplicationScoped
public class Cleaning {

  private static final Logger LOG = Logger.getLogger(Cleaning.class);
  private static final int BATCH = 20;
  private static final int AT_ONCE = 64;
  private static final Duration RETRY = Duration.ofSeconds(2);

  private final Debts debts;
  private final Cleaner cleaner;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Semaphore room = new Semaphore(AT_ONCE);

  Cleaning(Debts debts, Cleaner cleaner) {
    this.debts = debts;
    this.cleaner = cleaner;
  }

  /** Claims what is due, and cleans it up. */
  @RunOnVirtualThread
  @Scheduled(identity = "debts", every = "1s", concurrentExecution = SKIP)
  void takeDue() {
    begin(debts.claim(BATCH));
  }

  /** The same soon, on another thread. Only a hint: what it misses is found by polling. */
  void due() {
    threads.execute(
        () -> {
          try {
            takeDue();
          } catch (RuntimeException e) {
            LOG.warnf("debts are left to the next look reason=%s", e);
          }
        });
  }

  /** Cleans up debts that this node has claimed. */
  void begin(List<Attempt> claimed) {
    claimed.forEach(attempt -> threads.execute(() -> clean(attempt)));
  }

  private void clean(Attempt attempt) {
    LogFields.sandbox(attempt.sandboxId());
    room.acquireUninterruptibly();
    try {
      cleaner.clean(attempt);
    } catch (RuntimeException e) {
      LOG.errorf(e, "clean-up failed sandbox=%s attempt=%s", attempt.sandboxId(), attempt.id());
      debts.laterQuietly(attempt, RETRY);
    } finally {
      room.release();
    }
  }

  /** Releases all claims of this node. */
  void handOver() {
    debts.handOver();
  }

  /** Ends without waiting; what is not done is taken up at the next start. */
  public void stop() {
    threads.shutdownNow();
  }
}
