package dev.sandboxer.dataplane;

import org.jspecify.annotations.Nullable;

/** The sandbox or the platform sent something that the contract does not allow. */
public final class BadAnswer extends DataplaneException {
  private static final long serialVersionUID = 1L;

  /**
   * An answer that cannot be used.
   *
   * @param message what was wrong with it
   * @param cause null where nothing was thrown
   */
  public BadAnswer(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
