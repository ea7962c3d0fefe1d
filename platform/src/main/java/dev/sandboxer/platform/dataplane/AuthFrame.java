package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.ws.ServerFrames;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.token.Capability;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The frame {@code {"type": "auth", "token": ...}} and the frames that answer it.
 *
 * @param auth whether it is one
 * @param token that it brings, null if none
 */
record AuthFrame(boolean auth, @Nullable String token) {

  private static final AuthFrame OTHER = new AuthFrame(false, null);
  private static final byte[] WORD = {'a', 'u', 't', 'h'};

  /** Reads a text message; it is parsed only if it speaks of auth at all. */
  static AuthFrame read(Buffer text) {
    byte[] bytes = text.getBytes();
    if (!mentions(bytes)) {
      return OTHER;
    }
    try {
      JsonObject json = new JsonObject(text);
      boolean auth = "auth".equals(json.getValue("type"));
      return new AuthFrame(auth, auth && json.getValue("token") instanceof String t ? t : null);
    } catch (DecodeException e) {
      return OTHER;
    }
  }

  static Buffer ok(Collection<Capability> capabilities) {
    JsonArray names = new JsonArray();
    capabilities.stream().sorted().map(Capability::wireName).forEach(names::add);
    return ServerFrames.text(
        new JsonObject().put("type", "auth_ok").put("capabilities", names).encode());
  }

  static Buffer error(ErrorCode code, String message) {
    return error(code.name(), message, code.retryable());
  }

  static Buffer error(String code, String message, boolean retryable) {
    return ServerFrames.text(
        new JsonObject()
            .put("type", "error")
            .put("code", code)
            .put("message", message)
            .put("retryable", retryable)
            .encode());
  }

  private static boolean mentions(byte[] bytes) {
    for (int i = 0; i <= bytes.length - WORD.length; i++) {
      if (bytes[i] == WORD[0]
          && bytes[i + 1] == WORD[1]
          && bytes[i + 2] == WORD[2]
          && bytes[i + 3] == WORD[3]) {
        return true;
      }
    }
    return false;
  }
}
