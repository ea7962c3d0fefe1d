package dev.sandboxer.platform.dataplane.wire;

/** The other side cannot be reached, or does not keep to the protocol. */
public final class WireException extends Exception {

  private static final long serialVersionUID = 1L;

  /**
   * Makes the failure, without a stack trace: the other side decides how often it happens.
   *
   * @param message what was wrong, without bytes of the other side
   */
  public WireException(String message) {
    super(message, null, false, false);
  }

  /**
   * The message, never null.
   *
   * @return what was wrong
   */
  public String reason() {
    return String.valueOf(getMessage());
  }
}
