package dev.sandboxer.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.dataplane.DataplaneException;
import dev.sandboxer.dataplane.frame.FrameSocket;
import dev.sandboxer.dataplane.websocket.WebSocket;
import dev.sandboxer.dataplane.websocket.WebSocketGone;
import dev.sandboxer.dataplane.websocket.WebSockets;
import dev.sandboxer.testing.client.Api;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/** A WebSocket of the dataplane: JSON frames in order, and all output bytes. */
final class Frames implements AutoCloseable {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private static final int NONE = 1006;

  private final WebSockets webSockets = new WebSockets();
  private final Deque<JsonNode> waiting = new ArrayDeque<>();
  private final ByteArrayOutputStream output = new ByteArrayOutputStream();
  private final StringBuilder text = new StringBuilder();
  private final CompletableFuture<Boolean> closed = new CompletableFuture<>();
  private final CompletableFuture<Integer> closeStatus = new CompletableFuture<>();
  private final WebSocket socket;

  private Frames(
      Api.Dataplane inside, String path, Map<String, String> headers, String subprotocols) {
    URI address = URI.create(inside.url().replaceFirst("^http", "ws") + path);
    boolean open = false;
    try {
      socket = webSockets.open(address, headers, subprotocols, new Received());
      open = true;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    } finally {
      if (!open) {
        webSockets.close();
      }
    }
  }

  /**
   * Opens one with a token.
   *
   * @param subprotocol the only one that is offered; empty for none
   * @throws UncheckedIOException around UpgradeRefused when it is refused
   */
  static Frames open(Api.Dataplane inside, String path, String subprotocol) {
    return open(inside, path, inside.api().key(), subprotocol);
  }

  static Frames open(Api.Dataplane inside, String path, String token, String subprotocol) {
    return new Frames(inside, path, Map.of("Authorization", "Bearer " + token), subprotocol);
  }

  /** Opens one with a ticket among the subprotocols, as a browser has to. */
  static Frames withTicket(Api.Dataplane inside, String path, String ticket) {
    return new Frames(inside, path, Map.of(), "sandboxer.v1.json,sandboxer.ticket." + ticket);
  }

  void send(String frame) {
    try {
      socket.text(frame);
    } catch (WebSocketGone e) {
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

  /** Waits until the other side has ended it; says how, {@value #NONE} without a word. */
  int closeStatus() {
    return closeStatus.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join();
  }

  /** What the frames of standard output said so far. */
  String text() {
    synchronized (waiting) {
      return text.toString();
    }
  }

  @Override
  public void close() {
    webSockets.close();
  }

  private final class Received extends FrameSocket {

    private boolean begins = true;

    Received() {
      super(Api.JSON);
    }

    @Override
    protected void take(JsonNode frame) {
      synchronized (waiting) {
        waiting.add(frame);
        if (frame.path("type").asText().equals("stdout")) {
          text.append(frame.path("data").asText());
        }
      }
    }

    /** The first byte of a message says which stream it is. */
    @Override
    public boolean onBinary(ByteBuffer part, boolean last) {
      synchronized (waiting) {
        byte[] bytes = bytes(part);
        int skipped = begins ? 1 : 0;
        output.write(bytes, skipped, bytes.length - skipped);
        begins = last;
      }
      return true;
    }

    @Override
    public void onClose(int status, String reason) {
      closeStatus.complete(status);
      super.onClose(status, reason);
    }

    @Override
    public void fail(DataplaneException failure) {
      closed.complete(true);
      closeStatus.complete(NONE);
    }
  }
}
