package dev.sandboxer.platform.extension;

/** An extension is not loaded; the message is the reason that is shown. */
final class RefusedException extends Exception {

  private static final long serialVersionUID = 1L;

  RefusedException(String message) {
    super(message);
  }
}
