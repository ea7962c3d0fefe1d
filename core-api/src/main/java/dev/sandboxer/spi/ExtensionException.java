package dev.sandboxer.spi;

import org.jspecify.annotations.Nullable;

/** A typed failure of a backend. Anything else that is thrown counts as INTERNAL and UNKNOWN. */
public class ExtensionException extends Exception {

  private static final long serialVersionUID = 1L;

  private final ErrorCode code;
  private final transient Outcome outcome;

  /**
   * Makes the failure.
   *
   * @param code why
   * @param outcome what was left behind
   * @param message for a person: what was wrong, with what value, what to do; no secrets
   * @param cause null if there is none
   */
  public ExtensionException(
      ErrorCode code, Outcome outcome, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.code = code;
    this.outcome = outcome;
  }

  /**
   * A failure that left nothing behind.
   *
   * @param code why
   * @param message for a person
   */
  public ExtensionException(ErrorCode code, String message) {
    this(code, Outcome.NOTHING_CREATED, message, null);
  }

  /**
   * Why it failed.
   *
   * @return the code
   */
  public ErrorCode code() {
    return code;
  }

  /**
   * What it left behind.
   *
   * @return the outcome
   */
  public Outcome outcome() {
    return outcome;
  }

  /**
   * Whether the same request may succeed later.
   *
   * @return by the code
   */
  public boolean retryable() {
    return code.retryable();
  }
}
