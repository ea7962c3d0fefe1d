package dev.sandboxer.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.ByteArrayOutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletionStage;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A WebSocket of the dataplane: JSON frames in order, and all output bytes. */
final class Frames implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final HttpClient client = HttpClient.newHttpClient();
  private final Deque<JsonNode> waiting = new ArrayDeque<>();
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();
  private final StringBuilder text = new StringBuilder();
  private final WebSocket socket;

  private Frames(Api.Dataplane inside, String path, String subprotocol) {
    WebSocket.Builder builder =
        client
            .newWebSocketBuilder()
            .header("Authorization", "Bearer " + inside.api().key())
            .connectTimeout(PATIENCE);
    if (!subprotocol.isEmpty()) {
      builder.subprotocols(subprotocol);
    }
    socket =
        builder
            .buildAsync(URI.create(inside.url().replaceFirst("^http", "ws") + path), new Reader())
            .join();
  }

  static Frames open(Api.Dataplane inside, String path, String subprotocol) {
    return new Frames(inside, path, subprotocol);
  }

  void send(String frame) {
    var _ = socket.sendText(frame, true).join();
  }

  /** Takes frames until one of this type. */
  JsonNode await(String type) {
    Awaitility.await("frame " + type).atMost(PATIENCE).until(() -> take(type) != null);
    synchronized (waiting) {
      return waiting.removeFirst();
    }
  }

  private @Nullable JsonNode take(String type) {
    synchronized (waiting) {
      while (!waiting.isEmpty() && !waiting.peekFirst().path("type").asText().equals(type)) {
        waiting.removeFirst();
      }
      return waiting.peekFirst();
    }
  }

  /** Waits until the output as text contains this. */
  void awaitText(String part) {
    Awaitility.await("output " + part)
        .atMost(PATIENCE)
        .until(
            () -> {
              synchronized (waiting) {
                return text.indexOf(part) >= 0;
              }
            });
  }

  byte[] output() {
    synchronized (waiting) {
      return output.toByteArray();
    }
  }

  @Override
  public void close() {
    socket.abort();
    client.shutdownNow();
  }

  private final class Reader implements WebSocket.Listener {

    private final StringBuilder part = new StringBuilder();

    @Override
    public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      part.append(data);
      if (last) {
        frame(part.toString());
        part.setLength(0);
      }
      from.request(1);
      return null;
    }

    private void frame(String json) {
      try {
        JsonNode frame = Api.JSON.readTree(json);
        synchronized (waiting) {
          waiting.add(frame);
          if (frame.path("type").asText().equals("stdout")) {
            text.append(frame.path("data").asText());
          }
        }
      } catch (java.io.IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    private boolean begins = true;

    @Override
    public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
      if (begins && data.hasRemaining()) {
        var _ = data.get();
      }
      begins = last;
      byte[] bytes = new byte[data.remaining()];
      data.get(bytes);
      synchronized (waiting) {
        output.writeBytes(bytes);
      }
      from.request(1);
      return null;
    }
  }
}
