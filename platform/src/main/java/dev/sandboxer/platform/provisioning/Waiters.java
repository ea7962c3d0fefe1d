package dev.sandboxer.platform.provisioning;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sandboxer.platform.id.SandboxId;
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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jdbi.v3.core.Handle;

/** Requests that wait for a sandbox. Woken by this node's transitions; each polls as well. */
@ApplicationScoped
public class Waiters implements TransitionListener {

  private static final Duration POLL = Duration.ofMillis(250);
  private static final int RECENT = 1000;
  private static final Duration RECENT_TIME = Duration.ofSeconds(5);

  private final Instance<Sandboxes> sandboxes;
  private final Map<SandboxId, Set<News>> waiting = new ConcurrentHashMap<>();

  /** So that who begins to wait need not look at the row for what this node has just written. */
  private final Cache<SandboxId, Sandbox> recent =
      Caffeine.newBuilder()
          .maximumSize(RECENT)
          .expireAfterWrite(RECENT_TIME)
          .executor(Runnable::run)
          .build();

  Waiters(Instance<Sandboxes> sandboxes) {
    this.sandboxes = sandboxes;
  }

  @Override
  public void changed(Handle transaction, Transition transition) {
    transaction.afterCommit(() -> wake(transition.sandbox()));
  }

  /**
   * Waits until a sandbox is as wanted.
   *
   * @param id of the sandbox
   * @param enough what is waited for
   * @param limit how long at most; zero looks once
   * @return the row as last read, empty if there is none
   * @throws InterruptedException if the waiting thread is interrupted
   */
  public Optional<Sandbox> await(SandboxId id, Predicate<Sandbox> enough, Duration limit)
      throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    boolean written = limit.isPositive();
    while (true) {
      News news = new News();
      Set<News> all = add(id, news);
      try {
        Optional<Sandbox> now = written ? look(id, enough) : sandboxes.get().find(id);
        long left = end - System.nanoTime();
        if (now.isEmpty() || enough.test(now.get()) || left <= 0) {
          return now;
        }
        Optional<Sandbox> changed = news.await(Math.min(left, POLL.toNanos()));
        if (changed.filter(enough).isPresent()) {
          return changed;
        }
        written = changed.isPresent();
      } finally {
        remove(id, all, news);
      }
    }
  }

  /** What this node has just written suffices to see that there is something to wait for. */
  private Optional<Sandbox> look(SandboxId id, Predicate<Sandbox> enough) {
    return Optional.ofNullable(recent.getIfPresent(id))
        .filter(enough.negate())
        .or(() -> sandboxes.get().find(id));
  }

  private Set<News> add(SandboxId id, News news) {
    return waiting.compute(
        id,
        (_, old) -> {
          Set<News> all = old == null ? ConcurrentHashMap.newKeySet() : old;
          all.add(news);
          return all;
        });
  }

  private void remove(SandboxId id, Set<News> all, News news) {
    waiting.computeIfPresent(
        id,
        (_, now) -> {
          now.remove(news);
          all.remove(news);
          return now.isEmpty() ? null : now;
        });
  }

  private void wake(Sandbox changed) {
    var _ =
        recent.asMap().merge(changed.id(), changed, (a, b) -> a.eventSeq() > b.eventSeq() ? a : b);
    Set<News> all = waiting.get(changed.id());
    if (all != null) {
      all.forEach(news -> news.tell(changed));
    }
  }

  /** What one request waits for. */
  private static final class News {

    private final CompletableFuture<Sandbox> row = new CompletableFuture<>();

    void tell(Sandbox changed) {
      row.complete(changed);
    }

    Optional<Sandbox> await(long nanos) throws InterruptedException {
      try {
        return Optional.of(row.get(nanos, TimeUnit.NANOSECONDS));
      } catch (TimeoutException e) {
        return Optional.empty();
      } catch (ExecutionException e) {
        throw new IllegalStateException("it is only ever completed with a row", e);
      }
    }
  }
}
