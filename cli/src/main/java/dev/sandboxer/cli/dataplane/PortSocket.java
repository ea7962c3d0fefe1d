package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.Failure;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The client's side of {@code WS .../tcp}: what comes from inside is written to a local connection.
 */
final class PortSocket extends FrameSocket {
  /** One side sends nothing more. */
  static final String END = "{\"type\":\"eof\"}";

  private static final int SIDES = 2;

  private final Socket local;
  private final CompletableFuture<Boolean> end = new CompletableFuture<>();
  private final AtomicInteger ended = new AtomicInteger();

  PortSocket(ObjectMapper json, Socket local) {
    super(json);
    this.local = local;
  }

  /** Completes when both sides have said all, or with a {@link Failure}. */
  CompletableFuture<Boolean> end() {
    return end;
  }

  /** The program here says nothing more. */
  void localEnded() {
    if (ended.incrementAndGet() == SIDES) {
      end.complete(true);
    }
  }

  /** The program here is gone. */
  void localGone() {
    end.complete(true);
  }

  @Override
  public boolean onBinary(ByteBuffer part, boolean last) {
    try {
      local.getOutputStream().write(bytes(part));
      return true;
    } catch (IOException e) {
      localGone();
      return false;
    }
  }

  @Override
  void take(JsonNode frame) {
    switch (frame.path("type").asText()) {
      case "eof" -> insideEnded();
      case "error" -> fail(refused(frame));
      default -> {} // a later version's frame
    }
  }

  private void insideEnded() {
    try {
      local.shutdownOutput();
    } catch (IOException e) {
      localGone();
    }
    localEnded();
  }

  @Override
  void fail(Failure failure) {
    end.completeExceptionally(failure);
  }
}
