package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.box.Box;
import dev.sandboxer.platform.dataplane.Command;
import dev.sandboxer.platform.dataplane.CommandOutput;
import dev.sandboxer.platform.dataplane.CommandResult;
import dev.sandboxer.platform.dataplane.SandboxCommands;
import io.vertx.core.json.JsonObject;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** {@code box_exec}: a command in the box of a session, which is made if it is not there. */
@ApplicationScoped
class Exec {

  /** The client waits 300 s for a command and its box. */
  private static final Duration BOX_WAIT = Duration.ofMinutes(4);

  private static final String DROPPED =
      "[output dropped: too much of it waits for clients that do not read it]\n";

  /** What shells say of a command that a signal ended: 128 and its number. */
  private static final Map<String, Integer> SIGNALS =
      Map.of(
          "SIGHUP", 129, "SIGINT", 130, "SIGQUIT", 131, "SIGILL", 132, "SIGABRT", 134, "SIGFPE",
          136, "SIGKILL", 137, "SIGSEGV", 139, "SIGPIPE", 141, "SIGTERM", 143);

  private final Sessions sessions;
  private final SandboxCommands commands;
  private final UnsentOutput unsent = UnsentOutput.ofHeap();

  Exec(Sessions sessions, SandboxCommands commands) {
    this.sessions = sessions;
    this.commands = commands;
  }

  Reply run(ActionCall call) throws InterruptedException {
    SessionSpec spec = SessionSpec.read(call.fields());
    if (spec.command().isEmpty()) {
      throw BoxError.invalid("cmd must not be empty");
    }
    Box box = sessions.ensure(call, spec, BOX_WAIT);
    long seconds = Math.min(spec.timeoutSeconds(), call.client().settings().rules().mostSeconds());
    Command command =
        new Command(
            List.of("/bin/sh", "-c", spec.command()),
            Optional.of(spec.workdir()),
            spec.env(),
            Duration.ofSeconds(seconds),
            Optional.empty());
    CommandResult result = call.cancellable().run(() -> commands.run(box.sandbox().id(), command));
    return reply(spec.sessionId(), box, result);
  }

  private Reply reply(String sessionId, Box box, CommandResult result) {
    long bytes = (long) result.stdout().bytes().length() + result.stderr().bytes().length();
    boolean room = unsent.take(bytes);
    JsonObject data =
        new JsonObject()
            .put("session_id", sessionId)
            .put("backend_name", SessionView.backend(box))
            .put("status", result.timedOut() ? "timed_out" : "completed")
            .put("exit_code", exitCode(result))
            .put("stdout", text(result.stdout(), room))
            .put("stderr", text(result.stderr(), room))
            .put("duration_ms", result.duration().toMillis())
            .put("stdout_truncated", result.stdout().clipped() || !room)
            .put("stderr_truncated", result.stderr().clipped() || !room);
    return room ? new Reply(data, () -> unsent.give(bytes)) : Reply.of(data);
  }

  private static @Nullable Integer exitCode(CommandResult result) {
    if (result.timedOut()) {
      return null;
    }
    return result.exitCode().or(() -> result.signal().map(SIGNALS::get)).orElse(null);
  }

  private static String text(CommandOutput output, boolean room) {
    if (!room) {
      return output.bytes().length() == 0 ? "" : DROPPED;
    }
    return output.clipped()
        ? "%s\n[output clipped: only the first %d bytes were kept]\n"
            .formatted(output.text(), output.bytes().length())
        : output.text();
  }
}
