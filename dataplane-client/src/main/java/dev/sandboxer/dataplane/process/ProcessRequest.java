package dev.sandboxer.dataplane.process;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.dataplane.exec.CommandRequest;
import org.jspecify.annotations.Nullable;

/**
 * A managed process to start.
 *
 * @param command what it runs, without a timeout
 * @param id 1 to 64 letters, digits, {@code -} or {@code _}; null for a random one
 * @param restart {@code never}, {@code on-failure} or {@code always}; null for never
 * @param replace whether a running process of the same id is ended first, instead of a refusal
 */
public record ProcessRequest(
    CommandRequest command, @Nullable String id, @Nullable String restart, boolean replace) {

  /**
   * Checks the command.
   *
   * @throws IllegalArgumentException when it has a timeout, which a managed process cannot have
   */
  public ProcessRequest {
    if (command.timeout() != null) {
      throw new IllegalArgumentException("a managed process has no timeout");
    }
  }

  /** A process that is not started again. */
  public static ProcessRequest of(String id, CommandRequest command) {
    return new ProcessRequest(command, id, null, false);
  }

  /** The body of {@code POST /processes}. */
  ObjectNode body() {
    ObjectNode body = JsonNodeFactory.instance.objectNode();
    command.describe(body);
    if (id != null) {
      body.put("process_id", id);
    }
    if (restart != null) {
      body.put("restart", restart);
    }
    if (replace) {
      body.put("replace", true);
    }
    return body;
  }
}
