package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.cli.ExitCode;
import dev.sandboxer.cli.terminal.Signals;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How a command ended.
 *
 * @param exitCode null when a signal ended it
 * @param signal the signal's name; null when it exited by itself
 */
public record CommandEnd(
    @Nullable Integer exitCode, @Nullable String signal, Duration ran, boolean timedOut) {
  private static final int TIMED_OUT = 124;
  private static final int BYTE = 0xff;

  static CommandEnd of(JsonNode frame) {
    JsonNode code = frame.path("exit_code");
    JsonNode signal = frame.path("signal");
    return new CommandEnd(
        code.isNumber() ? Integer.valueOf(code.asInt()) : null,
        signal.isValueNode() && !signal.isNull() && !signal.asText().isEmpty()
            ? signal.asText()
            : null,
        Duration.ofMillis(frame.path("duration_ms").asLong()),
        frame.path("timed_out").asBoolean());
  }

  /**
   * What the command line exits with: the command's own code, 128 + n for signal n, 124 after a
   * timeout.
   */
  public int status() {
    if (timedOut) {
      return TIMED_OUT;
    }
    if (signal != null) {
      return ExitCode.bySignal(Signals.number(signal));
    }
    return exitCode == null ? ExitCode.SANDBOXER : exitCode & BYTE;
  }
}
