package dev.sandboxer.dataplane.port;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.dataplane.DataplaneException;
import dev.sandboxer.dataplane.frame.FrameSocket;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The client's side of {@code WS .../tcp}: what comes from inside is written to the local stream.
 */
final class PortSocket extends FrameSocket {
  /** One side sends nothing more. */
  static final String END = "{\"type\":\"eof\"}";

  private static final int SIDES = 2;

  private final LocalStream local;
  private final CompletableFuture<Boolean> end = new CompletableFuture<>();
  private final AtomicInteger ended = new AtomicInteger();

  PortSocket(ObjectMapper json, LocalStream local) {
    super(json);
    this.local = local;
  }

  /** Completes when both sides have said all, or with a {@link DataplaneException}. */
  CompletableFuture<Boolean> end() {
    return end;
  }

  /** This side sends no more. */
  void localEnded() {
    if (ended.incrementAndGet() == SIDES) {
      end.complete(true);
    }
  }

  /** This side is gone. */
  void localGone() {
    end.complete(true);
  }

  @Override
  public boolean onBinary(ByteBuffer part, boolean last) {
    try {
      OutputStream output = local.output();
      output.write(bytes(part));
      output.flush();
      return true;
    } catch (IOException e) {
      localGone();
      return false;
    }
  }

  @Override
  protected void take(JsonNode frame) {
    switch (frame.path("type").asText()) {
      case "eof" -> insideEnded();
      case "error" -> fail(refused(frame));
      default -> {} // a later version's frame
    }
  }

  private void insideEnded() {
    try {
      local.endOutput();
    } catch (IOException e) {
      localGone();
    }
    localEnded();
  }

  @Override
  public void fail(DataplaneException failure) {
    end.completeExceptionally(failure);
  }
}
