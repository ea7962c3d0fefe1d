package dev.sandboxer.cli.dataplane;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.Failure;
import java.io.IOException;
import java.net.Socket;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The client's side of {@code WS .../tcp}: what comes from inside is written to a local connection.
 * The next frame is asked for once this one was written.
 */
final class PortSocket implements WebSocket.Listener {
  /** One side sends nothing more. */
  static final String END = "{\"type\":\"eof\"}";

  private static final int LONGEST_TEXT = 1 << 16;
  private static final int SIDES = 2;

  private final ObjectMapper json;
  private final Socket local;
  private final CompletableFuture<Boolean> end = new CompletableFuture<>();
  private final AtomicInteger ended = new AtomicInteger();
  private final StringBuilder text = new StringBuilder();

  PortSocket(ObjectMapper json, Socket local) {
    this.json = json;
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
  public @Nullable CompletionStage<?> onBinary(WebSocket socket, ByteBuffer data, boolean last) {
    try {
      byte[] bytes = new byte[data.remaining()];
      data.get(bytes);
      local.getOutputStream().write(bytes);
      socket.request(1);
    } catch (IOException e) {
      localGone();
    }
    return null;
  }

  @Override
  public @Nullable CompletionStage<?> onText(WebSocket socket, CharSequence data, boolean last) {
    if (text.length() + data.length() > LONGEST_TEXT) {
      end.completeExceptionally(Failure.sandboxer("the sandbox sent an endless message"));
      return null;
    }
    text.append(data);
    if (last) {
      take(text.toString());
      text.setLength(0);
    }
    socket.request(1);
    return null;
  }

  private void take(String message) {
    JsonNode frame = parse(message);
    switch (frame.path("type").asText()) {
      case "eof" -> insideEnded();
      case "error" ->
          end.completeExceptionally(
              new CommandRefused(frame.path("code").asText(), frame.path("message").asText()));
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

  private JsonNode parse(String message) {
    try {
      return json.readTree(message);
    } catch (JsonProcessingException e) {
      return json.missingNode();
    }
  }

  @Override
  public @Nullable CompletionStage<?> onClose(WebSocket socket, int status, String reason) {
    end.completeExceptionally(
        new ConnectionLost("the connection to the sandbox was closed (" + status + ")", null));
    return null;
  }

  @Override
  public void onError(WebSocket socket, Throwable error) {
    end.completeExceptionally(new ConnectionLost("the connection to the sandbox was lost", error));
  }
}
