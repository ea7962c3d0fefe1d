package dev.sandboxer.loading;

/** An extension is not loaded; the message is the reason that is shown. */
public final class RefusedException extends Exception {

  private static final long serialVersionUID = 1L;

  /**
   * Makes the refusal.
   *
   * @param message for a person
   */
  public RefusedException(String message) {
    super(message);
  }
}
