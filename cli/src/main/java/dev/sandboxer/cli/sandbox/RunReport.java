package dev.sandboxer.cli.sandbox;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.client.Sandboxes;
import dev.sandboxer.cli.dataplane.CommandStatus;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.cli.terminal.Spans;
import dev.sandboxer.dataplane.exec.CommandEnd;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a run was: its last line and its JSON document. */
final class RunReport {
  private @Nullable JsonNode sandbox;
  private @Nullable CommandEnd end;
  private String ending = "";
  private boolean destroyed;
  private @Nullable Hint hint;

  void created(JsonNode record) {
    sandbox = record;
    ending = "not destroyed";
  }

  void ran(CommandEnd how) {
    end = how;
  }

  void hint(Hint what) {
    hint = what;
  }

  void destroyed() {
    destroyed = true;
    ending = "destroyed";
  }

  void notDestroyed(String id, String why) {
    ending = "NOT destroyed: " + why + "; sandboxer rm " + id;
  }

  /** Whether there is anything to tell: a sandbox was made. */
  boolean worthTelling() {
    return !ending.isEmpty();
  }

  boolean ended() {
    return end != null;
  }

  /** For example `nsjail, 28 ms`. */
  String start() {
    JsonNode record = sandbox;
    return record == null ? "" : backend(record) + ", " + Spans.of(readyAfter(record));
  }

  /** For example `nsjail, ready in 28 ms, ran 0.4 s, destroyed`. */
  String line() {
    List<String> parts = new ArrayList<>();
    JsonNode record = sandbox;
    if (record != null) {
      parts.add(backend(record));
      parts.add("ready in " + Spans.of(readyAfter(record)));
    }
    CommandEnd how = end;
    if (how != null) {
      parts.add((how.timedOut() ? "timed out after " : "ran ") + Spans.of(how.ran()));
    }
    parts.add(ending);
    List<String> missing = notEnforced();
    if (!missing.isEmpty()) {
      parts.add("not enforced: " + String.join(" ", missing));
    }
    return Escapes.visible(String.join(", ", parts));
  }

  ObjectNode document(ObjectMapper json, OutputSink output) {
    ObjectNode document = json.createObjectNode();
    if (sandbox != null) {
      document.put("sandbox_id", Sandboxes.id(sandbox)).put("backend", backend(sandbox));
      document
          .put("profile", sandbox.path("profile_id").asText())
          .put("ready_ms", readyAfter(sandbox).toMillis());
    }
    if (end != null) {
      document
          .put("exit_code", end.exitCode())
          .put("signal", end.signal())
          .put("timed_out", end.timedOut());
      document.put("status", CommandStatus.of(end)).put("ran_ms", end.ran().toMillis());
    }
    if (hint != null) {
      document.put("hint", hint.text()).put("profile_key", hint.key());
    }
    document.put("destroyed", destroyed);
    notEnforced().forEach(document.putArray("not_enforced")::add);
    output.describe(document);
    return document;
  }

  private List<String> notEnforced() {
    List<String> missing = new ArrayList<>();
    if (sandbox != null) {
      for (JsonNode condition : sandbox.path("conditions")) {
        if (condition.path("type").asText().equals("not_enforced")) {
          condition.path("detail").forEach(limit -> missing.add(limit.asText()));
        }
      }
    }
    return missing;
  }

  private static String backend(JsonNode record) {
    String extension = record.path("extension_id").asText("");
    return extension.startsWith("ext.") ? extension.substring("ext.".length()) : extension;
  }

  private static Duration readyAfter(JsonNode record) {
    try {
      return Duration.between(
          Instant.parse(record.path("created_at").asText()),
          Instant.parse(record.path("ready_at").asText()));
    } catch (DateTimeParseException e) {
      return Duration.ZERO;
    }
  }
}
