package dev.sandboxer.ext.e2b.cloud;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.Base64;
import java.util.List;

/**
 * How a command ended.
 *
 * @param code its exit code, below 0 if envd does not say it
 * @param output what it wrote, at most the last 2,000 characters
 */
public record Ended(int code, String output) {

  static final int MOST = 2_000;

  static Ended of(List<JsonNode> frames) {
    StringBuilder text = new StringBuilder();
    int code = -1;
    for (JsonNode frame : frames) {
      JsonNode event = frame.path("event");
      for (String stream : List.of("stdout", "stderr")) {
        text.append(decoded(event.path("data").path(stream).asText("")));
      }
      if (event.has("end")) {
        code = event.path("end").path("exitCode").asInt(0);
      }
    }
    String all = text.toString().strip();
    return new Ended(code, all.substring(Math.max(0, all.length() - MOST)));
  }

  private static String decoded(String base64) {
    try {
      return new String(Base64.getDecoder().decode(base64), UTF_8);
    } catch (IllegalArgumentException e) {
      return "";
    }
  }
}
