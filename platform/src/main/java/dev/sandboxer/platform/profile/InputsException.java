package dev.sandboxer.platform.profile;

/** The inputs of a create do not fit its profile. The message says which, and what is wanted. */
public final class InputsException extends Exception {

  private static final long serialVersionUID = 1L;

  InputsException(String message) {
    super(message);
  }
}
