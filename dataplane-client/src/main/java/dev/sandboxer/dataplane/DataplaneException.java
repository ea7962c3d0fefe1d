package dev.sandboxer.dataplane;

import org.jspecify.annotations.Nullable;

/**
 * A call to a sandbox failed. The message says in one line what went wrong; where the sandbox said
 * it, the message has the sandbox's own characters and must be escaped before a terminal shows it.
 */
public abstract sealed class DataplaneException extends RuntimeException
    permits BadAnswer, CallRefused, ConnectionLost, CopyFailed, OutputClosed, StreamRefused {
  private static final long serialVersionUID = 1L;

  DataplaneException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /** The message, never null. */
  public String text() {
    return String.valueOf(getMessage());
  }
}
