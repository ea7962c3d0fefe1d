package dev.sandboxer.cli.inspect;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.terminal.Escapes;
import dev.sandboxer.cli.terminal.Palette;
import dev.sandboxer.cli.terminal.Spans;
import java.time.Duration;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A sandbox as a person reads it: a title, facts in two columns, what failed, what happened. */
final class Page {
  private static final int NAMES = 13;

  private final JsonNode sandbox;
  private final JsonNode profile;
  private final List<JsonNode> events;
  private final Instant now;
  private final Palette palette;
  private final List<String> lines = new ArrayList<>();

  /**
   * Of one sandbox.
   *
   * @param profile its version of the recipe; missing where the platform does not tell
   * @param events oldest first; empty where the platform does not tell
   */
  Page(JsonNode sandbox, JsonNode profile, List<JsonNode> events, Instant now, Palette palette) {
    this.sandbox = sandbox;
    this.profile = profile;
    this.events = List.copyOf(events);
    this.now = now;
    this.palette = palette;
  }

  List<String> lines() {
    lines.add(palette.title(text("id")) + "  " + palette.state(text("state")));
    what();
    limits();
    mounts();
    times();
    failure();
    new Timeline(sandbox, events).lines().forEach(this::history);
    return lines;
  }

  private void what() {
    fact("profile", text("profile_id") + ", version " + text("profile_version"));
    fact(
        "backend",
        text("extension_id").replaceFirst("^ext\\.", "")
            + (text("host").isEmpty() ? "" : " on " + text("host")));
    fact("generation", text("generation").equals("1") ? "" : text("generation"));
    fact("for", consumer());
    fact("labels", pairs(sandbox.path("labels")));
    fact("env", names(sandbox.path("env_names")));
    fact("reachable", pairs(sandbox.path("reachability")));
  }

  private String consumer() {
    List<String> parts = new ArrayList<>();
    sandbox
        .path("consumer")
        .properties()
        .forEach(
            field -> {
              if (!field.getValue().isNull()) {
                parts.add(field.getKey() + " " + field.getValue().asText());
              }
            });
    return String.join(", ", parts);
  }

  private void mounts() {
    for (JsonNode mount : sandbox.path("mounts")) {
      String delivery = mount.path("delivery").asText("");
      fact(
          "mount",
          "%s, %s%s"
              .formatted(
                  mount.path("mount_path").asText(),
                  mount.path("mode").asText(),
                  delivery.equals("copy") ? ", a copy" : ""));
    }
  }

  private void limits() {
    JsonNode limits = profile.path("resources");
    if (limits.isObject()) {
      fact(
          "limits",
          "cpus %s, memory %s, pids %s, /workspace %s, /tmp %s, open files %s"
              .formatted(
                  limits.path("cpus").asText(),
                  Spans.bytes(limits.path("memory_bytes").asLong()),
                  limits.path("pids").asText(),
                  Spans.bytes(limits.path("workspace_bytes").asLong()),
                  Spans.bytes(limits.path("tmp_bytes").asLong()),
                  limits.path("open_files").asText()));
    }
    for (JsonNode condition : sandbox.path("conditions")) {
      boolean missing = condition.path("type").asText().equals("not_enforced");
      fact(
          missing ? "not enforced" : condition.path("type").asText(),
          names(condition.path("detail"))
              + (missing ? " (this machine cannot; sandboxer doctor says why)" : ""));
    }
  }

  private void times() {
    if (instant("ended_at").isPresent()) {
      fact(
          "ended", instant("ended_at").orElseThrow() + ", " + orElse(text("end_reason"), "failed"));
      fact("clean-up", text("cleanup"));
      return;
    }
    instant("expires_at")
        .ifPresent(end -> fact("time left", left(end) + ", then it is destroyed" + hardLimit()));
  }

  private String hardLimit() {
    long seconds = profile.path("hard_ttl_seconds").asLong();
    return seconds == 0
        ? ""
        : instant("created_at")
            .map(made -> "; it can be extended for " + left(made.plusSeconds(seconds)))
            .orElse("");
  }

  private String left(Instant end) {
    Duration left = Duration.between(now, end);
    return left.isNegative() ? "none" : Spans.of(left);
  }

  private void failure() {
    JsonNode failure = sandbox.path("failure");
    if (failure.isObject()) {
      lines.add("");
      lines.add(
          palette.bad("failed")
              + Escapes.visible(
                  "  %s (%s)"
                      .formatted(failure.path("message").asText(), failure.path("code").asText())));
      String key = failure.path("profile_key").asText("");
      if (!key.isEmpty()) {
        lines.add(Escapes.visible("  -> the profile's " + key + " would change that"));
      } else if (failure.path("retryable").asBoolean()) {
        lines.add("  -> trying again may help");
      }
    }
  }

  private void history(String line) {
    if (!lines.contains(palette.title("history"))) {
      lines.add("");
      lines.add(palette.title("history"));
    }
    lines.add(Escapes.visible("  " + line));
  }

  private void fact(String name, String value) {
    if (!value.isBlank()) {
      lines.add(palette.faint(name) + " ".repeat(NAMES - name.length()) + Escapes.visible(value));
    }
  }

  private String text(String field) {
    return Escapes.visible(sandbox.path(field).asText("").replaceFirst("^null$", ""));
  }

  private Optional<Instant> instant(String field) {
    try {
      return sandbox.path(field).isTextual()
          ? Optional.of(Instant.parse(sandbox.path(field).asText()))
          : Optional.empty();
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }

  private static String orElse(String text, String otherwise) {
    return text.isEmpty() ? otherwise : text;
  }

  private static String pairs(JsonNode object) {
    List<String> pairs = new ArrayList<>();
    object
        .properties()
        .forEach(field -> pairs.add(field.getKey() + "=" + field.getValue().asText()));
    return String.join(" ", pairs);
  }

  private static String names(JsonNode array) {
    List<String> names = new ArrayList<>();
    array.forEach(name -> names.add(name.asText()));
    return String.join(" ", names);
  }
}
