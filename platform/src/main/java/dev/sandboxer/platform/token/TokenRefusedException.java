package dev.sandboxer.platform.token;

/** A token is bad; cheap to throw. */
final class TokenRefusedException extends Exception {

  private static final long serialVersionUID = 1L;

  TokenRefusedException(String reason) {
    super(reason, null, false, false);
  }

  String reason() {
    return String.valueOf(getMessage());
  }
}
