package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;

/** The dataplane refused a call. */
public final class CallRefused extends Failure {
  private static final long serialVersionUID = 1L;
  private static final int TOO_MANY = 429;
  private static final int SERVER = 500;

  private final int status;

  private CallRefused(int status, String message) {
    super(ExitCode.SANDBOXER, message, null);
    this.status = status;
  }

  /** From a status and a body, which may be anything: sandboxes are hostile. */
  static CallRefused of(int status, JsonNode body, Dataplane.Access access) {
    JsonNode error = body.path("error");
    String code = error.path("code").asText("");
    String message =
        error
            .path("message")
            .asText("the sandbox's dataplane answered " + status + " at " + access);
    return new CallRefused(status, message + (code.isEmpty() ? "" : " (" + code + ")"));
  }

  /** Whether the same call may succeed a little later. */
  public boolean passing() {
    return status == TOO_MANY || status >= SERVER;
  }
}
