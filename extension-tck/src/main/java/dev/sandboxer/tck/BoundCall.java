package dev.sandboxer.tck;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Progress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One call of an extension on a virtual thread of its own, with the extension's context class
 * loader: cancelled and interrupted at its deadline, and then given a short grace.
 *
 * @param <T> the result
 */
final class BoundCall<T> implements Call {
  private static final Duration GRACE = Duration.ofSeconds(10);
  private static final String STOP =
      "check Call.cancelled() and Call.remaining() in loops, pass the remaining time to what you"
          + " wait for, close what blocks in Call.onCancel, and do not swallow interrupts";

  private final String name;
  private final HostRef host;
  private final long deadline;
  private final CompletableFuture<T> result = new CompletableFuture<>();
  private final List<Runnable> onCancel = new ArrayList<>();
  private final Thread thread;
  private volatile boolean cancelled;

  BoundCall(String name, HostRef host, Duration limit, ClassLoader loader, Body<T> body) {
    this.name = name;
    this.host = host;
    this.deadline = System.nanoTime() + limit.toNanos();
    this.thread = Thread.ofVirtual().name("tck " + name).unstarted(() -> run(body));
    this.thread.setContextClassLoader(loader);
  }

  @Override
  public HostRef host() {
    return host;
  }

  /**
   * What is called.
   *
   * @param <T> the result
   */
  @FunctionalInterface
  interface Body<T> {
    T run(Call call) throws ExtensionException;
  }

  BoundCall<T> start() {
    thread.start();
    return this;
  }

  private void run(Body<T> body) {
    try {
      result.complete(body.run(this));
    } catch (Throwable e) { // whatever an extension throws must reach the check
      result.completeExceptionally(e);
    }
  }

  /** Waits for the end; a call that goes on after its deadline and a grace breaks promise 3. */
  T await() throws ExtensionException {
    try {
      result.get(Math.max(1, remaining().toNanos()), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      cancel();
    } catch (ExecutionException e) {
      // told below
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
    return afterGrace();
  }

  private T afterGrace() throws ExtensionException {
    try {
      return result.get(GRACE.toSeconds(), TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      throw Promise.DEADLINE.broken(
          name + " still runs " + GRACE.toSeconds() + " s after it was cancelled", STOP);
    } catch (ExecutionException e) {
      throw typed(result.exceptionNow());
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private ExtensionException typed(Throwable thrown) {
    if (thrown instanceof ExtensionException e) {
      return e;
    }
    AssertionError untyped =
        Promise.OUTCOMES.broken(
            name + " threw " + thrown,
            "throw an ExtensionException with a code, an outcome and a sentence for a person");
    untyped.initCause(thrown);
    throw untyped;
  }

  void cancel() {
    List<Runnable> actions;
    synchronized (onCancel) {
      cancelled = true;
      actions = List.copyOf(onCancel);
      onCancel.clear();
    }
    actions.forEach(Thread::startVirtualThread);
    thread.interrupt();
  }

  @Override
  public Duration remaining() {
    return Duration.ofNanos(Math.max(0, deadline - System.nanoTime()));
  }

  @Override
  public boolean cancelled() {
    return cancelled || remaining().isZero();
  }

  @Override
  public void onCancel(Runnable action) {
    synchronized (onCancel) {
      if (!cancelled) {
        onCancel.add(action);
        return;
      }
    }
    Thread.startVirtualThread(action);
  }

  @Override
  public void progress(Progress progress) {}
}
