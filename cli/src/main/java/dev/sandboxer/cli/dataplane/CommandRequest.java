package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.cli.terminal.TerminalSize;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A command to run.
 *
 * @param command empty for a shell, where the route has one
 * @param cwd the working directory inside; null for the workspace
 * @param timeout after which it is killed with all that it started; null for none
 * @param terminal the size of the terminal that it gets; null for none
 */
public record CommandRequest(
    List<String> command,
    Map<String, String> env,
    @Nullable String cwd,
    @Nullable Duration timeout,
    @Nullable TerminalSize terminal) {
  public CommandRequest {
    command = List.copyOf(command);
    env = Map.copyOf(env);
  }

  /** A command without a terminal. */
  public CommandRequest(
      List<String> command,
      Map<String, String> env,
      @Nullable String cwd,
      @Nullable Duration timeout) {
    this(command, env, cwd, timeout, null);
  }

  /** The same with a terminal. */
  CommandRequest withTerminal(TerminalSize size) {
    return new CommandRequest(command, env, cwd, timeout, size);
  }

  /** The dataplane's first frame. */
  ObjectNode frame() {
    ObjectNode frame = JsonNodeFactory.instance.objectNode().put("type", "start");
    describe(frame);
    if (timeout != null) {
      frame.put("timeout_ms", timeout.toMillis());
    }
    if (terminal != null) {
      frame.putObject("tty").put("cols", terminal.cols()).put("rows", terminal.rows());
    }
    return frame;
  }

  /** Adds what every way to start a command has. */
  public void describe(ObjectNode frame) {
    if (!command.isEmpty()) {
      command.forEach(frame.putArray("command")::add);
    }
    if (!env.isEmpty()) {
      env.forEach(frame.putObject("env")::put);
    }
    if (cwd != null) {
      frame.put("cwd", cwd);
    }
  }
}
