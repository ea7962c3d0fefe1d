package dev.sandboxer.ext.docker.wire;

import org.jspecify.annotations.Nullable;

/** The Engine gave no answer. Unchecked, as it passes through docker-java. */
public final class EngineUnreachableException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /** What went wrong. */
  public enum Kind {
    /** There is no socket. */
    MISSING,
    /** The socket may not be used by this user. */
    FORBIDDEN,
    /** Nobody listens at the socket. */
    REFUSED,
    /** No answer in time. */
    SLOW,
    /** The connection ended in the middle. */
    CUT,
    /** The answer is not HTTP. */
    GARBAGE
  }

  private final Kind kind;
  private final boolean sent;

  /**
   * Makes the failure.
   *
   * @param kind what went wrong
   * @param sent whether the Engine can have received the request, so that it may have an effect
   * @param message for a person
   * @param cause null if there is none
   */
  public EngineUnreachableException(
      Kind kind, boolean sent, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
    this.sent = sent;
  }

  /**
   * What went wrong.
   *
   * @return the kind
   */
  public Kind kind() {
    return kind;
  }

  /**
   * Whether the request may have an effect.
   *
   * @return true if any of it was written
   */
  public boolean sent() {
    return sent;
  }
}
