package dev.sandboxer.platform.dataplane;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.StreamReadFeature;
import dev.sandboxer.platform.dataplane.ws.ServerFrames;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.token.Capability;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.util.Collection;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The frame {@code {"type": "auth", "token": ...}} and the frames that answer it.
 *
 * @param auth whether it is one
 * @param token that it brings, null if none
 */
record AuthFrame(boolean auth, @Nullable String token) {

  private static final AuthFrame OTHER = new AuthFrame(false, null);
  private static final Set<String> FIELDS = Set.of("type", "token");
  private static final JsonFactory STRICT =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();
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
      boolean strict = auth && FIELDS.containsAll(json.fieldNames()) && !hasDuplicates(bytes);
      return new AuthFrame(auth, strict && json.getValue("token") instanceof String t ? t : null);
    } catch (DecodeException e) {
      return OTHER;
    }
  }

  /** Of two tokens another reader could take the other one. */
  private static boolean hasDuplicates(byte[] json) {
    try (JsonParser parser = STRICT.createParser(json)) {
      while (parser.nextToken() != null) {
        // the parser itself compares the names
      }
      return false;
    } catch (IOException e) {
      return true;
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
