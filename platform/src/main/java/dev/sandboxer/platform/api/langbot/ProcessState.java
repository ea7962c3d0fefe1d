package dev.sandboxer.platform.api.langbot;

import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A managed process as boxd shows it. Code inside the sandbox may have made it up; its form is
 * checked.
 *
 * @param running whether it has not ended
 * @param command program and arguments, empty if boxd does not say
 * @param cwd where it runs
 * @param startedAt when it was started
 * @param endedAt when it ended
 * @param exitCode null while it runs, or if a signal ended it
 * @param stdoutFirst offset of the first byte of its output that is kept
 * @param stdoutNext offset of its next byte
 * @param stderrFirst as for the output
 * @param stderrNext as for the output
 */
record ProcessState(
    boolean running,
    List<String> command,
    String cwd,
    Instant startedAt,
    @Nullable Instant endedAt,
    @Nullable Integer exitCode,
    long stdoutFirst,
    long stdoutNext,
    long stderrFirst,
    long stderrNext) {

  static ProcessState read(JsonObject view) {
    return new ProcessState(
        !"finished".equals(view.getValue("state")),
        command(view),
        view.getValue("cwd") instanceof String cwd ? cwd : SessionSpec.WORKSPACE,
        instant(view, "started_at").orElse(Instant.EPOCH),
        instant(view, "ended_at").orElse(null),
        view.getValue("exit_code") instanceof Integer code ? code : null,
        offset(view, "stdout", "first"),
        offset(view, "stdout", "next"),
        offset(view, "stderr", "first"),
        offset(view, "stderr", "next"));
  }

  private static List<String> command(JsonObject view) {
    return view.getValue("command") instanceof JsonArray words
        ? words.stream().filter(String.class::isInstance).map(String.class::cast).toList()
        : List.of();
  }

  private static Optional<Instant> instant(JsonObject view, String name) {
    try {
      return view.getValue(name) instanceof String text
          ? Optional.of(Instant.parse(text))
          : Optional.empty();
    } catch (DateTimeException e) {
      return Optional.empty();
    }
  }

  private static long offset(JsonObject view, String stream, String name) {
    return view.getValue(stream) instanceof JsonObject span
            && span.getValue(name) instanceof Number offset
        ? Math.max(offset.longValue(), 0)
        : 0;
  }
}
