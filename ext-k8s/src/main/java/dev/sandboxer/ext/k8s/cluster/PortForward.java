package dev.sandboxer.ext.k8s.cluster;

import dev.sandboxer.spi.ByteStream;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import java.io.IOException;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a port of a pod, by subprotocol {@code v4.channel.k8s.io}: each message begins
 * with its channel, 0 for data and 1 for errors, and the first one of a channel is the port's
 * number. It has no half-close. What is received waits in a few pieces until it is read; then the
 * WebSocket asks for no more, and the other side has to wait.
 */
final class PortForward implements ByteStream, WebSocket.Listener {

  private static final int DATA = 0;
  private static final int CHANNELS = 2;
  private static final int PIECE = 32 * 1024;
  private static final int AHEAD = 8;
  private static final int MOST_ERROR = 500;
  private static final ByteBuffer END = ByteBuffer.allocate(0);

  private final LinkedBlockingQueue<ByteBuffer> arrived = new LinkedBlockingQueue<>();
  private final boolean[] begun = new boolean[CHANNELS];
  private final StringBuilder error = new StringBuilder();
  private int channel = -1;
  private boolean preface;
  private @Nullable ByteBuffer current;
  private volatile @Nullable WebSocket socket;
  private volatile @Nullable String failure;
  private volatile boolean ended;

  private PortForward() {}

  static PortForward open(StreamClient client, PortForwards to, Call call)
      throws ExtensionException {
    PortForward stream = new PortForward();
    CompletableFuture<WebSocket> opening =
        client.open(
            "api/v1/namespaces/%s/pods/%s/portforward?ports=%d"
                .formatted(to.namespace(), to.pod(), to.port()),
            stream);
    try {
      stream.socket = opening.get(Math.max(1, call.remaining().toMillis()), TimeUnit.MILLISECONDS);
      return stream;
    } catch (ExecutionException e) {
      throw failed(to, refusal(e));
    } catch (TimeoutException e) {
      abandon(opening);
      throw failed(to, "no answer in time");
    } catch (InterruptedException e) {
      abandon(opening);
      Thread.currentThread().interrupt();
      throw failed(to, "the call was cancelled");
    }
  }

  private static void abandon(CompletableFuture<WebSocket> opening) {
    var _ = opening.thenAccept(WebSocket::abort);
  }

  private static String refusal(ExecutionException e) {
    return e.getCause() instanceof WebSocketHandshakeException handshake
        ? "the API server answers " + handshake.getResponse().statusCode()
        : ApiFailures.root(e);
  }

  private static ExtensionException failed(PortForwards to, String why) {
    return new ExtensionException(
        ErrorCode.UNAVAILABLE, "no stream into pod %s: %s".formatted(to.pod(), why));
  }

  @Override
  public void onOpen(WebSocket opened) {
    opened.request(AHEAD);
  }

  /** A message may come in pieces, of which only the first has the channel. */
  @Override
  public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer piece, boolean last) {
    if (channel < 0 && piece.hasRemaining()) {
      channel = piece.get();
      if (channel < 0 || channel >= CHANNELS) {
        end("a message of the unknown channel " + channel);
        from.abort();
        return null;
      }
      preface = !begun[channel];
      begun[channel] = true;
    }
    if (preface || !piece.hasRemaining()) {
      from.request(1);
    } else if (channel == DATA) {
      arrived.add(ByteBuffer.allocate(piece.remaining()).put(piece).flip());
    } else {
      if (error.length() < MOST_ERROR) {
        error.append(StandardCharsets.UTF_8.decode(piece));
      }
      from.request(1);
    }
    if (last) {
      if (!error.isEmpty()) {
        end(Plain.text(error.toString(), MOST_ERROR));
      }
      channel = -1;
    }
    return null;
  }

  @Override
  public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
    end(reason.isEmpty() ? null : "closed with %d: %s".formatted(code, reason));
    return null;
  }

  @Override
  public void onError(WebSocket from, Throwable thrown) {
    end(ApiFailures.root(thrown));
  }

  private void end(@Nullable String why) {
    if (!ended) {
      failure = why;
      ended = true;
      arrived.add(END);
    }
  }

  @Override
  public int read(ByteBuffer target) throws IOException {
    ByteBuffer from = next();
    if (from == null) {
      String why = failure;
      if (why != null) {
        throw new IOException(why);
      }
      return -1;
    }
    int count = Math.min(from.remaining(), target.remaining());
    target.put(target.position(), from, from.position(), count);
    target.position(target.position() + count);
    from.position(from.position() + count);
    return count;
  }

  /** The piece that is being read, null at the end. Who has taken one asks for another. */
  private @Nullable ByteBuffer next() throws IOException {
    ByteBuffer at = current;
    if (at != null && at.hasRemaining()) {
      return at;
    }
    try {
      ByteBuffer taken = arrived.take();
      if (!taken.hasRemaining()) { // the end: no other piece is empty
        arrived.add(END);
        return null;
      }
      current = taken;
      WebSocket from = socket;
      if (from != null) {
        from.request(1);
      }
      return taken;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("cancelled", e);
    }
  }

  @Override
  public void write(ByteBuffer source) throws IOException {
    WebSocket to = socket;
    while (source.hasRemaining()) {
      int count = Math.min(PIECE, source.remaining());
      ByteBuffer piece = ByteBuffer.allocate(1 + count);
      piece.put((byte) DATA).put(1, source, source.position(), count).position(0);
      if (to == null || ended) {
        throw new IOException(reason("the stream has ended"));
      }
      send(to, piece);
      source.position(source.position() + count);
    }
  }

  private void send(WebSocket to, ByteBuffer piece) throws IOException {
    try {
      var _ = to.sendBinary(piece, true).get();
    } catch (ExecutionException e) {
      throw new IOException(reason(ApiFailures.root(e)), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("cancelled", e);
    }
  }

  private String reason(String other) {
    String why = failure;
    return why == null ? other : why;
  }

  @Override
  public boolean closeOutput() {
    return false;
  }

  /** Also releases who writes to a side that does not read. */
  @Override
  public void close() {
    end("the stream was closed");
    WebSocket open = socket;
    if (open != null) {
      open.abort();
    }
  }
}
