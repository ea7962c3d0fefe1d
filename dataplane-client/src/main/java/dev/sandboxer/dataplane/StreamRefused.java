package dev.sandboxer.dataplane;

/**
 * The sandbox answered an open stream with an error: there is no such program, it may not be
 * executed, nothing listens on the port, or the request is wrong.
 */
public final class StreamRefused extends DataplaneException {
  private static final long serialVersionUID = 1L;

  private final String code;

  /**
   * A refusal.
   *
   * @param code the dataplane's error code; empty when it named none
   * @param message the sandbox's own words
   */
  public StreamRefused(String code, String message) {
    super(message + (code.isEmpty() ? "" : " (" + code + ")"), null);
    this.code = code;
  }

  /** The dataplane's error code, such as {@code VALIDATION}; empty when it named none. */
  public String code() {
    return code;
  }
}
