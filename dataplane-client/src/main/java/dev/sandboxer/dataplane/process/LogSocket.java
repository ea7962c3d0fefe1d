package dev.sandboxer.dataplane.process;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.dataplane.DataplaneException;
import dev.sandboxer.dataplane.exec.CommandEnd;
import dev.sandboxer.dataplane.exec.CommandOutput;
import dev.sandboxer.dataplane.frame.OutputSocket;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The client's side of {@code WS .../attach} with binary frames: one connection's part of a log.
 * The position moves with every byte that was written, so that the next connection begins there.
 */
final class LogSocket extends OutputSocket {
  private final LogPosition position;
  private final @Nullable LogPosition until;
  private final CommandOutput output;
  private final LogListener listener;
  private final CompletableFuture<Boolean> end = new CompletableFuture<>();

  /**
   * One connection.
   *
   * @param until where reading ends; null reads until the process has ended
   */
  LogSocket(
      ObjectMapper json,
      LogPosition position,
      @Nullable LogPosition until,
      CommandOutput output,
      LogListener listener) {
    super(json);
    this.position = position;
    this.until = until;
    this.output = output;
    this.listener = listener;
  }

  /** Completes when all was read, or with a {@link DataplaneException}. */
  CompletableFuture<Boolean> end() {
    return end;
  }

  @Override
  protected void take(JsonNode frame) {
    switch (frame.path("type").asText()) {
      case "ready" -> position.begin(frame.path("offsets"));
      case "gap" -> gap(frame);
      case "exit" -> exit(frame);
      case "error" -> fail(refused(frame));
      default -> {} // what later versions say
    }
    finishIfAllWasRead();
  }

  private void gap(JsonNode frame) {
    String stream = frame.path("stream").asText();
    long to = frame.path("to").asLong();
    listener.gap(stream, frame.path("from").asLong(), to);
    position.skip(stream, to);
  }

  private void exit(JsonNode frame) {
    boolean again = frame.path("restarting").asBoolean();
    if (until == null) {
      listener.ended(CommandEnd.of(frame), again);
    }
    if (!again) {
      end.complete(true);
    }
  }

  @Override
  protected void write(int channel, byte[] bytes) throws IOException {
    if (end.isDone()) {
      return;
    }
    if (channel == LogPosition.STDOUT) {
      output.out(bytes);
    } else if (channel == LogPosition.STDERR) {
      output.err(bytes);
    }
    position.moved(channel, bytes.length);
    finishIfAllWasRead();
  }

  private void finishIfAllWasRead() {
    if (until != null && position.reached(until)) {
      end.complete(true);
    }
  }

  @Override
  public void fail(DataplaneException failure) {
    end.completeExceptionally(failure);
  }
}
