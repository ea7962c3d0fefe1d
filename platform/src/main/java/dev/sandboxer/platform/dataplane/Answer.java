package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Optional;

/**
 * What a boxd answered. Code inside the sandbox may have written all of it.
 *
 * @param status 200 to 599
 * @param body of a bounded size
 */
public record Answer(int status, Buffer body) {

  /** What a caller can do something about. Other codes mean that boxd and platform disagree. */
  private static final Map<String, ErrorCode> PASSED_ON =
      Map.of(
          "VALIDATION", ErrorCode.VALIDATION,
          "NOT_FOUND", ErrorCode.NOT_FOUND,
          "TOO_LARGE", ErrorCode.TOO_LARGE,
          "INVALID_STATE", ErrorCode.INVALID_STATE,
          "SANDBOX_STARTING", ErrorCode.SANDBOX_STARTING,
          "UNSUPPORTED", ErrorCode.UNSUPPORTED,
          "STORAGE_FULL", ErrorCode.STORAGE_FULL,
          "QUOTA_EXCEEDED", ErrorCode.QUOTA_EXCEEDED,
          "PROCESS_LIMIT", ErrorCode.QUOTA_EXCEEDED,
          "CONNECTION_LIMIT", ErrorCode.QUOTA_EXCEEDED);

  /**
   * The body as a JSON object.
   *
   * @return empty if it is something else
   */
  public Optional<JsonObject> json() {
    return object(body);
  }

  /** Empty for all that is no JSON object, the literal {@code null} too. */
  static Optional<JsonObject> object(Buffer text) {
    try {
      JsonObject read = new JsonObject(text);
      return read.getMap() == null ? Optional.empty() : Optional.of(read);
    } catch (DecodeException e) {
      return Optional.empty();
    }
  }

  /**
   * The problem that this answer is, for an answer that is not what was asked for.
   *
   * @param sandboxId whose boxd answered
   * @return with boxd's own message, cut to a line's length, where its code is one of ours or a
   *     limit of the sandbox; else SANDBOX_UNREACHABLE
   */
  public ProblemException refusal(SandboxId sandboxId) {
    Refusal refusal = Refusal.read(body);
    ErrorCode code = PASSED_ON.get(refusal.code());
    return code == null
        ? new ProblemException(
            ErrorCode.SANDBOX_UNREACHABLE,
            "sandbox " + sandboxId + " cannot be reached: it answered with status " + status)
        : new ProblemException(code, refusal.message());
  }
}
