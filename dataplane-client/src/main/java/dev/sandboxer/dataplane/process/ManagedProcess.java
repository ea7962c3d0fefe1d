package dev.sandboxer.dataplane.process;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.dataplane.exec.CommandEnd;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A managed process as the sandbox describes it. What the sandbox left out, or sent with a wrong
 * type, reads as empty or 0.
 *
 * @param json the whole record
 */
public record ManagedProcess(JsonNode json) {
  /** Its id. */
  public String id() {
    return json.path("process_id").asText("");
  }

  /** {@code running}, {@code restarting} or {@code finished}. */
  public String state() {
    return json.path("state").asText("");
  }

  /** Its number inside; empty while none runs. */
  public Optional<Long> pid() {
    JsonNode pid = json.path("pid");
    return pid.isNumber() ? Optional.of(pid.asLong()) : Optional.empty();
  }

  /** The program and its arguments; one text for a command line of the shell. */
  public List<String> command() {
    JsonNode command = json.path("command");
    List<String> words = new ArrayList<>();
    if (command.isArray()) {
      command.forEach(word -> words.add(word.asText()));
    } else if (command.isValueNode()) {
      words.add(command.asText());
    }
    return List.copyOf(words);
  }

  /** When it was started last. */
  public Optional<Instant> startedAt() {
    try {
      return Optional.of(Instant.parse(json.path("started_at").asText()));
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }

  /** How often it was started again. */
  public long restarts() {
    return json.path("restarts").asLong();
  }

  /** How it ended last; without code and signal while it has not ended. */
  public CommandEnd end() {
    return CommandEnd.of(json);
  }

  /** Bytes that it wrote to standard output and standard error together. */
  public long outputBytes() {
    return json.path("stdout").path("next").asLong() + json.path("stderr").path("next").asLong();
  }
}
