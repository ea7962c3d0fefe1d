package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.platform.sandbox.Transition;
import dev.sandboxer.platform.sandbox.TransitionListener;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;

/** Requests that wait for a sandbox. Woken by this node's transitions; each polls as well. */
@ApplicationScoped
public class Waiters implements TransitionListener {

  private static final Duration POLL = Duration.ofMillis(250);

  private final Instance<Sandboxes> sandboxes;
  private final Map<String, Set<CountDownLatch>> waiting = new ConcurrentHashMap<>();

  Waiters(Instance<Sandboxes> sandboxes) {
    this.sandboxes = sandboxes;
  }

  @Override
  public void changed(Handle transaction, Transition transition) {
    transaction.afterCommit(() -> wake(transition.sandbox().id()));
  }

  /**
   * Waits until a sandbox is as wanted.
   *
   * @param id raw id
   * @param enough what is waited for
   * @param limit how long at most; zero looks once
   * @return the row as last read, empty if there is none
   * @throws InterruptedException if the waiting thread is interrupted
   */
  public Optional<Sandbox> await(String id, Predicate<Sandbox> enough, Duration limit)
      throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (true) {
      CountDownLatch latch = new CountDownLatch(1);
      Set<CountDownLatch> latches = add(id, latch);
      try {
        Optional<Sandbox> now = sandboxes.get().find(id);
        long left = end - System.nanoTime();
        if (now.isEmpty() || enough.test(now.get()) || left <= 0) {
          return now;
        }
        var _ = latch.await(Math.min(left, POLL.toNanos()), TimeUnit.NANOSECONDS);
      } finally {
        remove(id, latches, latch);
      }
    }
  }

  private Set<CountDownLatch> add(String id, CountDownLatch latch) {
    return waiting.compute(
        id,
        (_, old) -> {
          Set<CountDownLatch> latches = old == null ? ConcurrentHashMap.newKeySet() : old;
          latches.add(latch);
          return latches;
        });
  }

  private void remove(String id, Set<CountDownLatch> latches, CountDownLatch latch) {
    waiting.computeIfPresent(
        id,
        (_, now) -> {
          now.remove(latch);
          latches.remove(latch);
          return now.isEmpty() ? null : now;
        });
  }

  private void wake(String id) {
    Set<CountDownLatch> latches = waiting.get(id);
    if (latches != null) {
      latches.forEach(CountDownLatch::countDown);
    }
  }
}
