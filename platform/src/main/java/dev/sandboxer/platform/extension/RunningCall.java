package dev.sandboxer.platform.extension;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Progress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * One call of an extension, on a virtual thread of its own, from its start to its result or its
 * abandonment.
 *
 * @param <T> its result
 */
public final class RunningCall<T> implements Call {

  private static final Logger LOG = Logger.getLogger(RunningCall.class);

  private final String what;
  private final HostRef host;
  private final CallLimits limits;
  private final Consumer<Progress> listener;
  private final CompletableFuture<T> result = new CompletableFuture<>();
  private final List<Runnable> onCancel = new ArrayList<>();
  private final long startedAt = System.nanoTime();
  private volatile long progressedAt = startedAt;
  private volatile boolean cancelled;
  private final Thread thread;

  RunningCall(
      String what, HostRef host, CallLimits limits, Consumer<Progress> listener, Body<T> body) {
    this.what = what;
    this.host = host;
    this.limits = limits;
    this.listener = listener;
    this.thread = Thread.ofVirtual().name(what).unstarted(() -> run(body));
  }

  /**
   * What runs.
   *
   * @param <T> its result
   */
  @FunctionalInterface
  interface Body<T> {
    T run(Call call) throws ExtensionException;
  }

  @Override
  public HostRef host() {
    return host;
  }

  /** Tells how the call ended, null for a result; also when it was abandoned. */
  void whenDone(Consumer<@Nullable Throwable> observer) {
    CompletableFuture<T> _ = result.whenComplete((value, thrown) -> observer.accept(thrown));
  }

  void start() {
    thread.start();
  }

  private void run(Body<T> body) {
    try {
      T value = body.run(this);
      // Once the extension could see itself cancelled, what it returns says nothing.
      if (remaining().isZero()) {
        end(abandoned(overrun()));
      }
      result.complete(value);
    } catch (Throwable e) {
      // Whatever foreign code throws, also errors, must reach who waits.
      result.completeExceptionally(e);
    }
  }

  /**
   * Waits for the result. A call that overruns, or was cancelled, is abandoned: it may still have
   * effects.
   *
   * @return the result
   * @throws ExtensionException typed; anything else that was thrown is INTERNAL and UNKNOWN, an
   *     abandoned call is TIMEOUT and UNKNOWN
   */
  public T await() throws ExtensionException {
    try {
      while (true) {
        try {
          return result.get(Math.max(1, remaining().toNanos()), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
          if (remaining().isZero()) {
            end(abandoned(overrun()));
          }
        }
      }
    } catch (ExecutionException e) {
      throw typed(result.exceptionNow());
    } catch (InterruptedException e) {
      cancel();
      Thread.currentThread().interrupt();
      throw cancelledByCaller();
    }
  }

  /** Tells the call that its result is no longer wanted; {@link #await} ends soon. Repeatable. */
  public void cancel() {
    end(cancelledByCaller());
  }

  private void end(ExtensionException failure) {
    List<Runnable> actions;
    synchronized (onCancel) {
      if (cancelled) {
        return;
      }
      cancelled = true;
      actions = List.copyOf(onCancel);
    }
    // First, or what an interrupted extension returns would still count.
    result.completeExceptionally(failure);
    actions.forEach(this::runElsewhere);
    thread.interrupt();
  }

  private ExtensionException typed(Throwable thrown) {
    if (thrown instanceof ExtensionException e) {
      return e;
    }
    return new ExtensionException(
        ErrorCode.INTERNAL, Outcome.UNKNOWN, what + " failed: " + thrown, thrown);
  }

  private ExtensionException cancelledByCaller() {
    return new CancelledException(what + " was cancelled");
  }

  /** The platform itself no longer wanted the call; that says nothing about the backend. */
  static final class CancelledException extends ExtensionException {
    private static final long serialVersionUID = 1L;

    CancelledException(String message) {
      super(ErrorCode.TIMEOUT, Outcome.UNKNOWN, message, null);
    }
  }

  private ExtensionException abandoned(String why) {
    return new ExtensionException(ErrorCode.TIMEOUT, Outcome.UNKNOWN, what + " " + why, null);
  }

  private String overrun() {
    return "was abandoned: it took longer than %d s, or made no progress for %d s"
        .formatted(limits.cap().toSeconds(), limits.idle().toSeconds());
  }

  @Override
  public Duration remaining() {
    long now = System.nanoTime();
    long idle = limits.idle().toNanos() - (now - progressedAt);
    long cap = limits.cap().toNanos() - (now - startedAt);
    return Duration.ofNanos(Math.max(0, Math.min(idle, cap)));
  }

  @Override
  public boolean cancelled() {
    return cancelled || (!result.isDone() && remaining().isZero());
  }

  @Override
  public void onCancel(Runnable action) {
    synchronized (onCancel) {
      if (!cancelled) {
        onCancel.add(action);
        return;
      }
    }
    runElsewhere(action);
  }

  private void runElsewhere(Runnable action) {
    Thread.startVirtualThread(
        () -> {
          try {
            action.run();
          } catch (RuntimeException e) {
            LOG.warnf(e, "cancelling failed call=%s", what);
          }
        });
  }

  @Override
  public void progress(Progress progress) {
    progressedAt = System.nanoTime();
    try {
      listener.accept(progress);
    } catch (RuntimeException e) {
      // The extension is not to blame if the platform cannot note it.
      LOG.warnf(e, "progress is not noted call=%s step=%s", what, progress.step());
    }
  }
}
