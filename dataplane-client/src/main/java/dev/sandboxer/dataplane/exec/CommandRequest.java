package dev.sandboxer.dataplane.exec;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A command to run.
 *
 * @param command the program and its arguments; empty for a shell, where there is one
 * @param env variables, over those of the profile and the image
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

  /** Copies list and map. */
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

  /** A program with its arguments, in the workspace; none at all is a shell. */
  public static CommandRequest of(String... command) {
    return new CommandRequest(List.of(command), Map.of(), null, null);
  }

  /** The same with these variables instead. */
  public CommandRequest withEnv(Map<String, String> variables) {
    return new CommandRequest(command, variables, cwd, timeout, terminal);
  }

  /** The same in another working directory. */
  public CommandRequest withCwd(String directory) {
    return new CommandRequest(command, env, directory, timeout, terminal);
  }

  /** The same with a timeout. */
  public CommandRequest withTimeout(Duration limit) {
    return new CommandRequest(command, env, cwd, limit, terminal);
  }

  /** The same with a terminal. */
  public CommandRequest withTerminal(TerminalSize size) {
    return new CommandRequest(command, env, cwd, timeout, size);
  }

  /** The dataplane's first frame. */
  ObjectNode frame() {
    ObjectNode frame = JsonNodeFactory.instance.objectNode().put("type", "start");
    describe(frame);
    if (timeout != null) {
      frame.put("timeout_ms", timeout.toMillis());
    }
    return frame;
  }

  /** Adds what every way to start a command has: all but the timeout. */
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
    if (terminal != null) {
      frame.putObject("tty").put("cols", terminal.cols()).put("rows", terminal.rows());
    }
  }
}
