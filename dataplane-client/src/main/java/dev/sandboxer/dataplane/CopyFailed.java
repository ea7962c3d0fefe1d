package dev.sandboxer.dataplane;

/**
 * A folder could not be copied: a file of this machine cannot be read or written, or the sandbox
 * sent an unsafe archive. What was copied before stays where it is.
 */
public final class CopyFailed extends DataplaneException {
  private static final long serialVersionUID = 1L;

  /**
   * A copy that ended early.
   *
   * @param message which folder, and why
   * @param cause what ended it
   */
  public CopyFailed(String message, Throwable cause) {
    super(message, cause);
  }
}
