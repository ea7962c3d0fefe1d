package dev.sandboxer.platform.api;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;

/**
 * A valid body, as the OpenAPI document has it: one constant is both, so that neither can go stale
 * without the other.
 */
public final class Example {

  private static final ObjectMapper JSON = new ObjectMapper();

  private Example() {}

  /**
   * Reads one.
   *
   * @param json of the OpenAPI example
   * @return for a problem's member {@code example}
   */
  public static Object of(String json) {
    try {
      return JSON.readValue(json, Object.class);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("an example that is no JSON: " + json, e);
    }
  }
}
