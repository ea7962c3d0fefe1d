package dev.sandboxer.e2e;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ClientWebSocket;
import io.vertx.core.http.WebSocketClientOptions;
import io.vertx.core.http.WebSocketConnectOptions;
import java.io.ByteArrayOutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A WebSocket of the dataplane: JSON frames in order, and all output bytes. Not the JDK's, which
 * can lose what comes right after the handshake (docs/decisions, 0111).
 */
final class Frames implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int MOST = 16 << 20;

  private final Vertx vertx =
      Vertx.vertx(
          new VertxOptions()
              .setEventLoopPoolSize(1)
              .setWorkerPoolSize(1)
              .setInternalBlockingPoolSize(1));
  private final Deque<JsonNode> waiting = new ArrayDeque<>();
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();
  private final StringBuilder text = new StringBuilder();
  private final CompletableFuture<Boolean> closed = new CompletableFuture<>();
  private final ClientWebSocket socket;

  private Frames(WebSocketConnectOptions options) {
    socket =
        vertx
            .createWebSocketClient(
                new WebSocketClientOptions().setMaxFrameSize(MOST).setMaxMessageSize(MOST))
            .webSocket();
    socket.textMessageHandler(this::frame).binaryMessageHandler(this::bytes);
    socket.closeHandler(end -> closed.complete(true));
    boolean open = false;
    try {
      var _ = socket.connect(options).toCompletionStage().toCompletableFuture().join();
      open = true;
    } finally {
      if (!open) {
        var _ = vertx.close();
      }
    }
  }

  /**
   * Opens one with a token.
   *
   * @param subprotocol the only one that is offered; empty for none
   * @throws java.util.concurrent.CompletionException around Vert.x's UpgradeRejectedException when
   *     it is refused
   */
  static Frames open(Api.Dataplane inside, String path, String subprotocol) {
    return open(inside, path, inside.api().key(), subprotocol);
  }

  static Frames open(Api.Dataplane inside, String path, String token, String subprotocol) {
    WebSocketConnectOptions options =
        at(inside, path).addHeader("Authorization", "Bearer " + token);
    return new Frames(
        subprotocol.isEmpty() ? options : options.setSubProtocols(List.of(subprotocol)));
  }

  /** Opens one with a ticket among the subprotocols, as a browser has to. */
  static Frames withTicket(Api.Dataplane inside, String path, String ticket) {
    return new Frames(
        at(inside, path)
            .setSubProtocols(List.of("sandboxer.v1.json", "sandboxer.ticket." + ticket)));
  }

  private static WebSocketConnectOptions at(Api.Dataplane inside, String path) {
    return new WebSocketConnectOptions()
        .setAbsoluteURI(inside.url().replaceFirst("^http", "ws") + path)
        .setAllowOriginHeader(false) // it is no page
        .setConnectTimeout(PATIENCE.toMillis());
  }

  void send(String frame) {
    try {
      var _ =
          socket
              .writeTextMessage(frame)
              .toCompletionStage()
              .toCompletableFuture()
              .get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
    } catch (Exception e) {
      throw new AssertionError("could not send " + frame, e);
    }
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

  /** Completes when the other side has ended it. */
  CompletableFuture<Boolean> closed() {
    return closed;
  }

  @Override
  public void close() {
    var _ = vertx.close().toCompletionStage().toCompletableFuture().join();
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
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** The first byte says which stream it is. */
  private void bytes(Buffer data) {
    synchronized (waiting) {
      output.writeBytes(data.getBytes(1, data.length()));
    }
  }
}
