package dev.sandboxer.dataplane;

import org.jspecify.annotations.Nullable;

/**
 * The connection to a sandbox broke or could not be made. Whether the call took effect is not
 * known; another try may succeed.
 */
public final class ConnectionLost extends DataplaneException {
  private static final long serialVersionUID = 1L;

  /**
   * A lost connection. A {@link GrantSource} throws it when the platform cannot be reached.
   *
   * @param message which connection, and why
   * @param cause null where nothing was thrown
   */
  public ConnectionLost(String message, @Nullable Throwable cause) {
    super(message, cause);
  }
}
