package dev.sandboxer.dataplane.exec;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a command or a managed process ended.
 *
 * @param exitCode null when a signal ended it
 * @param signal the signal's name, such as {@code SIGKILL}; null when it exited by itself
 * @param ran from its start to its end
 * @param timedOut whether it was killed because its timeout passed
 * @param oomKills processes of the sandbox that the kernel ended for lack of memory meanwhile
 */
public record CommandEnd(
    @Nullable Integer exitCode,
    @Nullable String signal,
    Duration ran,
    boolean timedOut,
    long oomKills) {

  /** Reads an {@code exit} frame or a process's record; what is missing or wrong is left out. */
  public static CommandEnd of(JsonNode frame) {
    JsonNode code = frame.path("exit_code");
    JsonNode signal = frame.path("signal");
    return new CommandEnd(
        code.isNumber() ? Integer.valueOf(code.asInt()) : null,
        signal.isValueNode() && !signal.isNull() && !signal.asText().isEmpty()
            ? signal.asText()
            : null,
        Duration.ofMillis(frame.path("duration_ms").asLong()),
        frame.path("timed_out").asBoolean(),
        frame.path("oom_kills").asLong());
  }

  /** Whether it exited by itself with code 0. */
  public boolean succeeded() {
    return exitCode != null && exitCode == 0 && !timedOut;
  }
}
