package dev.sandboxer.platform.provisioning;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.sandbox.Desired;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.trace.LogFields;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.jboss.logging.Logger;

/**
 * Runs the workers: at once for what was just recorded or deleted here, by polling for what is due
 * or lost its worker. Each runs on a virtual thread; the number of open SPI calls is bounded.
 */
@ApplicationScoped
public class WorkLoop {

  private static final Logger LOG = Logger.getLogger(WorkLoop.class);
  private static final int BATCH = 20;
  private static final int AT_ONCE = 64;
  private static final int RETRY_SECONDS = 2;

  private final Claims claims;
  private final Worker worker;
  private final Cleaning cleaning;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Semaphore room = new Semaphore(AT_ONCE);
  private volatile boolean over;
  private final Map<SandboxId, Cancellation> running = new ConcurrentHashMap<>();

  WorkLoop(Claims claims, Worker worker, Cleaning cleaning) {
    this.claims = claims;
    this.worker = worker;
    this.cleaning = cleaning;
  }

  /** Works on what this node has already claimed. */
  void begin(Work work) {
    String request = LogFields.request();
    threads.execute(
        () -> {
          LogFields.request(request);
          workBounded(work);
        });
  }

  /** Whether a worker of this node is at work on a sandbox. */
  boolean runs(SandboxId id) {
    return running.containsKey(id);
  }

  /**
   * Works on a sandbox whose desired state has changed, if nobody else does. Only a hint: what is
   * missed here is found by polling.
   *
   * @param id of the sandbox
   */
  public void nudge(SandboxId id) {
    threads.execute(
        () -> {
          Cancellation call = running.get(id);
          if (call == null) {
            claims.one(id).map(Work::of).ifPresent(this::workBounded);
          } else {
            call.cancel();
          }
        });
  }

  /** Takes what an earlier run left, before the first request comes. */
  public void start() {
    takeDue();
    cleaning.due();
  }

  /** Takes what is due. */
  @RunOnVirtualThread
  @Scheduled(identity = "due", every = "1s", concurrentExecution = SKIP)
  void takeDue() {
    if (over) {
      return;
    }
    claims.due(BATCH).stream().map(Work::of).forEach(this::begin);
  }

  /** Keeps the claims of this node's workers, and stops those whose sandbox is not wanted. */
  @RunOnVirtualThread
  @Scheduled(identity = "claims", every = "2s", concurrentExecution = SKIP)
  void renewClaims() {
    if (running.isEmpty()) {
      return;
    }
    for (Sandbox sandbox : claims.renew(running.keySet())) {
      Cancellation call = running.get(sandbox.id());
      if (call != null && sandbox.desired() == Desired.GONE) {
        call.cancel();
      }
    }
  }

  private void workBounded(Work work) {
    Sandbox sandbox = work.sandbox();
    LogFields.sandbox(sandbox.id());
    room.acquireUninterruptibly();
    Cancellation call = new Cancellation();
    running.put(sandbox.id(), call);
    try {
      worker.work(work, call);
    } catch (ClaimLostException e) {
      LOG.infof("claim lost sandbox=%s", sandbox.publicId());
    } catch (RuntimeException e) {
      LOG.errorf(e, "worker failed sandbox=%s state=%s", sandbox.publicId(), sandbox.state());
      giveBack(sandbox);
    } finally {
      running.remove(sandbox.id());
      room.release();
    }
  }

  private void giveBack(Sandbox sandbox) {
    try {
      claims.release(sandbox, RETRY_SECONDS);
    } catch (RuntimeException e) {
      LOG.warnf("claim kept until it lapses sandbox=%s reason=%s", sandbox.publicId(), e);
    }
  }

  /**
   * Stops claiming work and releases all claims of this node, so that another node or the next
   * start continues at once. Running calls are cancelled, and their later writes are fenced off.
   */
  public void handOver() {
    over = true;
    claims.handOver();
    cleaning.handOver();
    running.values().forEach(Cancellation::cancel);
  }

  /** Ends without waiting for running calls; what they leave is recovered at the next start. */
  public void stop() {
    threads.shutdownNow();
    cleaning.stop();
  }
}
