package dev.sandboxer.platform.installation;

/**
 * The platform cannot start. The message is one line for the operator: what is wrong, with what
 * value, what to do. No stack trace is shown for it.
 */
public final class StartupException extends RuntimeException {

  private static final long serialVersionUID = 1L;

  /**
   * A failure that explains itself.
   *
   * @param message one line for the operator
   */
  public StartupException(String message) {
    super(message);
  }

  /**
   * A failure with a cause.
   *
   * @param message one line for the operator
   * @param cause what was thrown
   */
  public StartupException(String message, Throwable cause) {
    super(message, cause);
  }
}
