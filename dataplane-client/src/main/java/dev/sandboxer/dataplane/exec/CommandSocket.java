package dev.sandboxer.dataplane.exec;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.sandboxer.dataplane.DataplaneException;
import dev.sandboxer.dataplane.frame.OutputSocket;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;

/**
 * The client's side of {@code WS /v1/exec/ws} with subprotocol {@code sandboxer.v1.binary}: one
 * command. Nothing is read before what came was written, so a slow reader slows the command.
 */
final class CommandSocket extends OutputSocket {
  private static final byte STDIN = 0;
  private static final byte STDOUT = 1;
  private static final byte STDERR = 2;

  private final CommandOutput output;
  private final CompletableFuture<CommandEnd> end = new CompletableFuture<>();
  private final CompletableFuture<Boolean> ready = new CompletableFuture<>();

  CommandSocket(ObjectMapper json, CommandOutput output) {
    super(json);
    this.output = output;
  }

  /** Completes when the command runs. */
  CompletableFuture<Boolean> ready() {
    return ready;
  }

  /** Completes with the command's end, or with a {@link DataplaneException}. */
  CompletableFuture<CommandEnd> end() {
    return end;
  }

  @Override
  protected void take(JsonNode frame) {
    switch (frame.path("type").asText()) {
      case "ready" -> ready.complete(true);
      case "exit" -> end.complete(CommandEnd.of(frame));
      case "error" -> refuse(frame);
      default -> {} // a later version's frame: nothing this client waits for
    }
  }

  /**
   * Before the command runs an error is its end; later (a signal to a process just gone) it is not.
   */
  private void refuse(JsonNode frame) {
    if (!ready.isDone()) {
      fail(refused(frame));
    }
  }

  @Override
  protected void write(int channel, byte[] bytes) throws IOException {
    if (end.isDone()) {
      return; // nothing belongs to a command that has ended
    }
    switch (channel) {
      case STDOUT -> output.out(bytes);
      case STDERR -> output.err(bytes);
      default -> {} // no such channel yet
    }
  }

  @Override
  public void fail(DataplaneException failure) {
    end.completeExceptionally(failure);
    ready.completeExceptionally(failure);
  }

  static byte[] stdin(byte[] bytes, int count) {
    return ByteBuffer.allocate(count + 1).put(STDIN).put(bytes, 0, count).array();
  }

  static String endOfStdin() {
    return frame("stdin").put("eof", true).toString();
  }

  static String signal(String name) {
    return frame("signal").put("name", name).toString();
  }

  static String resize(TerminalSize size) {
    return frame("resize").put("cols", size.cols()).put("rows", size.rows()).toString();
  }

  private static ObjectNode frame(String type) {
    return JsonNodeFactory.instance.objectNode().put("type", type);
  }
}
