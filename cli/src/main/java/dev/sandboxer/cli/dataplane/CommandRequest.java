package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A command to run.
 *
 * @param cwd the working directory inside; null for the workspace
 * @param timeout after which it is killed with all that it started; null for none
 */
public record CommandRequest(
    List<String> command,
    Map<String, String> env,
    @Nullable String cwd,
    @Nullable Duration timeout) {
  public CommandRequest {
    command = List.copyOf(command);
    env = Map.copyOf(env);
  }

  /** The dataplane's first frame. */
  ObjectNode frame() {
    ObjectNode frame = JsonNodeFactory.instance.objectNode().put("type", "start");
    command.forEach(frame.putArray("command")::add);
    if (!env.isEmpty()) {
      env.forEach(frame.putObject("env")::put);
    }
    if (cwd != null) {
      frame.put("cwd", cwd);
    }
    if (timeout != null) {
      frame.put("timeout_ms", timeout.toMillis());
    }
    return frame;
  }
}
