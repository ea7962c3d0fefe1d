package dev.sandboxer.ext.e2b.cloud;

import org.jspecify.annotations.Nullable;

/** A request that got no answer. */
final class UnansweredException extends Exception {

  private static final long serialVersionUID = 1L;

  private final boolean sent;
  private final boolean late;

  /**
   * Makes one.
   *
   * @param sent whether the server may have got the request
   * @param late whether the time was over or the call was cancelled
   */
  UnansweredException(boolean sent, boolean late, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.sent = sent;
    this.late = late;
  }

  boolean sent() {
    return sent;
  }

  boolean late() {
    return late;
  }
}
