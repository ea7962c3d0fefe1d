package dev.sandboxer.platform.dataplane;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonObject;
import java.util.regex.Pattern;

/**
 * Why boxd refused a request, as far as its word can be passed on.
 *
 * @param code of the errors' form
 * @param message cut to a line's length
 * @param retryable whether it may help to try again
 */
record Refusal(String code, String message, boolean retryable) {

  private static final Pattern CODE = Pattern.compile("[A-Z][A-Z_]{1,40}");
  private static final int MAX_MESSAGE = 500;
  private static final Refusal UNCLEAR =
      new Refusal("SANDBOX_UNREACHABLE", "the sandbox refused the WebSocket", true);

  static Refusal read(Buffer body) {
    return Answer.object(body)
        .map(json -> json.getValue("error") instanceof JsonObject error ? read(error) : UNCLEAR)
        .orElse(UNCLEAR);
  }

  private static Refusal read(JsonObject error) {
    boolean whole =
        error.getValue("code") instanceof String code
            && CODE.matcher(code).matches()
            && error.getValue("message") instanceof String;
    if (!whole) {
      return UNCLEAR;
    }
    String message = error.getString("message");
    return new Refusal(
        error.getString("code"),
        message.length() > MAX_MESSAGE ? message.substring(0, MAX_MESSAGE) : message,
        Boolean.TRUE.equals(error.getValue("retryable")));
  }

  Buffer frame() {
    return AuthFrame.error(code, message, retryable);
  }
}
