package dev.sandboxer.spi.secret;

import org.jspecify.annotations.Nullable;

/** A secret could not be read. */
public final class SecretException extends Exception {

  private static final long serialVersionUID = 1;

  private final boolean away;

  private SecretException(boolean away, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.away = away;
  }

  /**
   * There is no such secret, or it may not be read.
   *
   * @param message for a person, without any secret
   * @return to be thrown
   */
  public static SecretException missing(String message) {
    return new SecretException(false, message, null);
  }

  /**
   * The store is gone, slow, sealed or busy; the same secret may be there later.
   *
   * @param message for a person, without any secret
   * @param cause null if there is none
   * @return to be thrown
   */
  public static SecretException away(String message, @Nullable Throwable cause) {
    return new SecretException(true, message, cause);
  }

  /**
   * Whether the store could not be asked.
   *
   * @return false if it has no such secret
   */
  public boolean isAway() {
    return away;
  }
}
