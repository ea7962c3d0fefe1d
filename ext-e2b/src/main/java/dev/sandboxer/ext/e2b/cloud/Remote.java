package dev.sandboxer.ext.e2b.cloud;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Map;
import java.util.TreeMap;

/**
 * A sandbox as the control plane describes it.
 *
 * @param id E2B's own
 * @param metadata as it was set when it was made
 * @param paused whether it is; else it runs
 * @param startedAt when
 * @param endAt when E2B ends it
 * @param size of its template
 */
public record Remote(
    String id,
    Map<String, String> metadata,
    boolean paused,
    Instant startedAt,
    Instant endAt,
    Size size) {

  /** Keeps an immutable copy. */
  public Remote {
    metadata = Map.copyOf(metadata);
  }

  static Remote of(JsonNode node) {
    Map<String, String> metadata = new TreeMap<>();
    node.path("metadata")
        .properties()
        .forEach(one -> metadata.put(one.getKey(), one.getValue().asText()));
    return new Remote(
        node.path("sandboxID").asText(),
        metadata,
        "paused".equals(node.path("state").asText()),
        instant(node.path("startedAt")),
        instant(node.path("endAt")),
        size(node));
  }

  static Size size(JsonNode node) {
    return new Size(node.path("cpuCount").asInt(), node.path("memoryMB").asInt());
  }

  private static Instant instant(JsonNode node) {
    try {
      return Instant.parse(node.asText());
    } catch (DateTimeParseException e) {
      return Instant.EPOCH;
    }
  }
}
