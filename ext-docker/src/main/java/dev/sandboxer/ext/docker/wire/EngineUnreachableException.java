package dev.sandboxer.ext.docker.wire;

import dev.sandboxer.spi.ErrorCode;
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
    GARBAGE,
    /** There is no way to where it is; the message says all. */
    NO_WAY
  }

  private final Kind kind;
  private final boolean sent;
  private final ErrorCode code;
  private final String step;

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
    this(
        kind,
        sent,
        kind == Kind.FORBIDDEN ? ErrorCode.AUTHORIZATION : ErrorCode.UNAVAILABLE,
        "engine",
        message,
        cause);
  }

  private EngineUnreachableException(
      Kind kind,
      boolean sent,
      ErrorCode code,
      String step,
      String message,
      @Nullable Throwable cause) {
    super(message, cause);
    this.kind = kind;
    this.sent = sent;
    this.code = code;
    this.step = step;
  }

  /**
   * There is no way to where the Engine is.
   *
   * @param step on the way, such as {@code ssh}
   * @param code what it means
   * @param message the whole message for a person
   * @param cause null if there is none
   * @return to be thrown
   */
  static EngineUnreachableException noWay(
      String step, ErrorCode code, String message, @Nullable Throwable cause) {
    return noWay(step, false, code, message, cause);
  }

  static EngineUnreachableException noWay(
      String step, boolean sent, ErrorCode code, String message, @Nullable Throwable cause) {
    return new EngineUnreachableException(Kind.NO_WAY, sent, code, step, message, cause);
  }

  /**
   * What it means.
   *
   * @return the code to fail with
   */
  public ErrorCode code() {
    return code;
  }

  /**
   * How far it came.
   *
   * @return the step that failed, such as {@code ssh} or {@code engine}
   */
  public String step() {
    return step;
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
