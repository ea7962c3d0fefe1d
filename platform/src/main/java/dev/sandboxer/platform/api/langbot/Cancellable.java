package dev.sandboxer.platform.api.langbot;

import org.jspecify.annotations.Nullable;

/** A part of a call that ends at once when the call is cancelled or its connection is lost. */
final class Cancellable {

  private @Nullable Thread worker;
  private boolean cancelled;

  /** What may be interrupted. */
  interface Work<T> {

    T run() throws InterruptedException;
  }

  /** Runs it on the present thread. */
  <T> T run(Work<T> work) throws InterruptedException {
    begin();
    try {
      return work.run();
    } catch (InterruptedException e) {
      if (isCancelled()) {
        throw gone();
      }
      throw e;
    } finally {
      end();
    }
  }

  /** Ends the work, and what is begun later. */
  synchronized void cancel() {
    cancelled = true;
    if (worker != null) {
      worker.interrupt();
    }
  }

  private synchronized void begin() {
    if (cancelled) {
      throw gone();
    }
    worker = Thread.currentThread();
  }

  private synchronized boolean isCancelled() {
    return cancelled;
  }

  private synchronized void end() {
    worker = null;
    if (cancelled) {
      var _ = Thread.interrupted();
    }
  }

  private static BoxError gone() {
    return new BoxError(BoxError.Kind.OTHER, "the call was cancelled; its command was ended");
  }
}
