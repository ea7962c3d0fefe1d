package dev.sandboxer.dataplane;

import com.fasterxml.jackson.databind.JsonNode;
import java.net.URI;

/** The relay or the sandbox refused a call with an HTTP status. */
public final class CallRefused extends DataplaneException {
  private static final long serialVersionUID = 1L;
  private static final int TOO_MANY = 429;
  private static final int SERVER = 500;

  private final int status;
  private final String code;

  private CallRefused(int status, String code, String message) {
    super(message + (code.isEmpty() ? "" : " (" + code + ")"), null);
    this.status = status;
    this.code = code;
  }

  /**
   * Reads a refusal. The body may be anything: sandboxes are hostile.
   *
   * @param status the HTTP status
   * @param body the problem body; a missing node where there was no JSON
   * @param address that was called; named where the body says nothing
   */
  public static CallRefused of(int status, JsonNode body, URI address) {
    JsonNode error = body.path("error");
    return new CallRefused(
        status,
        error.path("code").asText(""),
        error
            .path("message")
            .asText("the sandbox's dataplane answered " + status + " at " + address));
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }

  /** The error code, such as {@code NOT_FOUND}; empty when the answer named none. */
  public String code() {
    return code;
  }

  /** Whether the same call may succeed a little later: status 429, or 500 and above. */
  public boolean passing() {
    return status == TOO_MANY || status >= SERVER;
  }
}
