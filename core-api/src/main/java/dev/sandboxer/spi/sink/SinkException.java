package dev.sandboxer.spi.sink;

import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** An event could not be delivered. */
public final class SinkException extends Exception {

  private static final long serialVersionUID = 1;

  private final boolean refused;
  private final transient @Nullable Duration retryAfter;

  private SinkException(
      boolean refused, @Nullable Duration retryAfter, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.refused = refused;
    this.retryAfter = retryAfter;
  }

  /**
   * The receiver is away or busy: the same event comes again.
   *
   * @param message for a person, without secrets
   * @param cause null if there is none
   * @return to be thrown
   */
  public static SinkException away(String message, @Nullable Throwable cause) {
    return new SinkException(false, null, message, cause);
  }

  /**
   * The receiver said when to come again.
   *
   * @param message for a person, without secrets
   * @param retryAfter not before this time is over
   * @return to be thrown
   */
  public static SinkException later(String message, Duration retryAfter) {
    return new SinkException(false, retryAfter, message, null);
  }

  /**
   * The receiver does not take this event, now or later.
   *
   * @param message for a person, without secrets
   * @return to be thrown
   */
  public static SinkException refused(String message) {
    return new SinkException(true, null, message, null);
  }

  /**
   * Whether the event is to be set aside.
   *
   * @return false if it comes again
   */
  public boolean isRefused() {
    return refused;
  }

  /**
   * What the receiver asked for.
   *
   * @return empty if it said nothing
   */
  public Optional<Duration> retryAfter() {
    return Optional.ofNullable(retryAfter);
  }
}
