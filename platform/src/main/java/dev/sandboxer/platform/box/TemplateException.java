package dev.sandboxer.platform.box;

import java.util.Objects;

/** A template or the value of a variable is wrong. The message names it and says what is wanted. */
public final class TemplateException extends Exception {

  private static final long serialVersionUID = 1L;

  TemplateException(String message) {
    super(message);
  }

  @Override
  public String getMessage() {
    return Objects.requireNonNull(super.getMessage());
  }
}
