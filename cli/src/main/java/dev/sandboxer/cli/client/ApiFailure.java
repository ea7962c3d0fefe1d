package dev.sandboxer.cli.client;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.Failure;
import org.jspecify.annotations.Nullable;

/** The platform refused a call; carries its problem body. */
public final class ApiFailure extends Failure {
  private static final long serialVersionUID = 1L;

  private final int status;
  private final String code;
  private final @Nullable String sandboxId;
  private final @Nullable String profileKey;

  @SuppressWarnings("serial") // a failure is never written anywhere but as text
  private final JsonNode differences;

  private ApiFailure(
      int status,
      String code,
      String message,
      @Nullable String sandboxId,
      @Nullable String profileKey,
      JsonNode differences) {
    super(ExitCode.SANDBOXER, message, null);
    this.profileKey = profileKey;
    this.differences = differences;
    this.status = status;
    this.code = code;
    this.sandboxId = sandboxId;
  }

  /** From a status and a problem body, which may be anything: a proxy in between answers too. */
  static ApiFailure of(
      int status, @Nullable JsonNode problem, @Nullable String requestId, Endpoint endpoint) {
    if (problem == null || !problem.path("error").isObject()) {
      return new ApiFailure(
          status,
          "",
          endpoint + " answered " + status + " without saying why",
          null,
          null,
          MissingNode.getInstance());
    }
    JsonNode error = problem.path("error");
    String code = error.path("code").asText("");
    String id = error.path("request_id").asText(requestId == null ? "" : requestId);
    return new ApiFailure(
        status,
        code,
        text(code, problem, id),
        problem.path("sandbox_id").asText(null),
        problem.path("profile_key").asText(null),
        problem.path("differences"));
  }

  private static String text(String code, JsonNode problem, String requestId) {
    JsonNode error = problem.path("error");
    StringBuilder text =
        new StringBuilder(
            CommandTerms.of(error.path("message").asText(problem.path("detail").asText(code))));
    if (code.equals("UNAUTHENTICATED")) {
      text.append("; give a key with SANDBOXER_KEY, or use the platform of SANDBOXER_HOME");
    }
    if (error.path("retryable").asBoolean(false)) {
      text.append("; trying again may help");
    }
    text.append(" (").append(code);
    if (!requestId.isEmpty()) {
      text.append(", ").append(requestId);
    }
    return text.append(')').toString();
  }

  /** The HTTP status. */
  public int status() {
    return status;
  }

  /** The platform's error code, empty when it named none. */
  public String code() {
    return code;
  }

  /** The key of the profile that would change the outcome, where the platform names one. */
  public @Nullable String profileKey() {
    return profileKey;
  }

  /** How a box differs from the request, each field with both values; missing if not reported. */
  public JsonNode differences() {
    return differences;
  }

  /** The sandbox that failed while its create was waiting. */
  public @Nullable String sandboxId() {
    return sandboxId;
  }
}
