package dev.sandboxer.dataplane;

/** The caller's own receiver of output refused it, as a closed pipe does. */
public final class OutputClosed extends DataplaneException {
  private static final long serialVersionUID = 1L;

  /**
   * An output that takes nothing more.
   *
   * @param cause what the receiver threw
   */
  public OutputClosed(Throwable cause) {
    super("standard output was closed", cause);
  }
}
