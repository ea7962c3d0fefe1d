package dev.sandboxer.cli.events;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.terminal.Spans;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** What an event says, in a few words for a person. */
public final class EventFacts {
  private static final double MILLIS = 1000;

  private final JsonNode event;
  private final JsonNode detail;

  public EventFacts(JsonNode event) {
    this.event = event;
    this.detail = event.path("detail");
  }

  /**
   * Such as `ready`; what is not of the sandbox itself keeps its family, such as `session.ended`.
   */
  public String word() {
    return event.path("type").asText().replaceFirst("^sandbox\\.", "");
  }

  /** What there is to say beside it; may be empty. */
  public String facts() {
    List<String> facts = new ArrayList<>();
    switch (word()) {
      case "requested" -> {
        add(facts, text("profile_id"));
        add(facts, event.path("consumer").path("project").asText(""));
        add(facts, text("error"));
      }
      case "provisioning" -> add(facts, backend());
      case "image_pull" -> {
        add(facts, text("image"));
        add(facts, text("status"));
      }
      case "session.started" -> add(facts, text("session_id"));
      case "session.ended" -> {
        add(facts, text("session_id"));
        add(facts, text("end_reason"));
      }
      case "setup.step" -> {
        add(facts, "%s of %s".formatted(detail.path("step").asText(), detail.path("of").asText()));
        add(facts, text("run"));
      }
      case "setup.failed" -> {
        add(facts, "step " + detail.path("step").asText());
        add(facts, text("reason"));
      }
      case "mount.synced" -> {
        add(facts, text("mount_path"));
        add(facts, detail.path("written").asInt() + " written");
        int conflicts = detail.path("conflicts").size();
        add(facts, conflicts > 0 ? conflicts + " changed on both sides" : "");
      }
      case "mount.lost" -> {
        add(facts, text("mount_path"));
        add(facts, text("reason"));
      }
      case "network.denied" -> {
        add(facts, text("destination_host") + ":" + detail.path("destination_port").asText());
        add(facts, text("reason"));
      }
      case "expired", "destroying" -> add(facts, text("end_reason"));
      case "failed" -> add(facts, text("error"));
      case "destroyed" -> add(facts, lived());
      case "quota.refused" -> {
        add(facts, text("profile_id"));
        add(facts, event.path("consumer").path("project").asText(""));
        add(facts, text("error"));
        add(facts, repeats());
      }
      default -> {}
    }
    return String.join(", ", facts);
  }

  private String backend() {
    String host = text("host");
    return text("extension_id").replaceFirst("^ext\\.", "") + (host.isEmpty() ? "" : " on " + host);
  }

  private String lived() {
    JsonNode seconds = detail.path("duration_s");
    return seconds.isNumber()
        ? "lived " + Spans.of(Duration.ofMillis((long) (seconds.asDouble() * MILLIS)))
        : "";
  }

  private String repeats() {
    long times = detail.path("repeats").asLong();
    return times > 0 ? times + " more before" : "";
  }

  private String text(String name) {
    return detail.path(name).asText("");
  }

  private static void add(List<String> facts, String fact) {
    if (!fact.isEmpty()) {
      facts.add(fact);
    }
  }
}
