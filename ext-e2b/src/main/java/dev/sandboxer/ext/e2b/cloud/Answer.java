package dev.sandboxer.ext.e2b.cloud;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Optional;

/**
 * What a server answered. Its words are shown to people, so they are cut and have no control
 * characters.
 *
 * @param status of HTTP
 * @param retryAfter if the answer says when to try again
 * @param nextToken of a list that goes on, empty if it does not
 * @param body empty text's node if it is no JSON
 */
public record Answer(int status, Optional<Duration> retryAfter, String nextToken, JsonNode body) {

  private static final ObjectMapper JSON = new ObjectMapper();
  private static final int MOST = 300;

  static Answer of(HttpResponse<byte[]> response) {
    return new Answer(
        response.statusCode(),
        response
            .headers()
            .firstValue("Retry-After")
            .filter(text -> text.matches("[0-9]{1,6}"))
            .map(text -> Duration.ofSeconds(Long.parseLong(text))),
        response.headers().firstValue("X-Next-Token").orElse(""),
        json(response.body()));
  }

  static JsonNode json(byte[] bytes) {
    try {
      return Optional.ofNullable(JSON.readTree(bytes)).orElseGet(JSON::missingNode);
    } catch (JacksonException e) {
      return JSON.missingNode();
    } catch (IOException e) {
      throw new IllegalStateException("bytes are read without input", e);
    }
  }

  boolean ok() {
    return status >= 200 && status < 300;
  }

  /** The newer servers' own code of an error, empty if there is none. */
  String errorCode() {
    return body.path("error_code").asText("");
  }

  /** What it says, for a person. */
  String message() {
    String text = body.path("message").asText("").replaceAll("\\p{Cntrl}", " ").strip();
    return text.isEmpty()
        ? "HTTP " + status
        : "%s (HTTP %d)".formatted(text.substring(0, Math.min(MOST, text.length())), status);
  }
}
