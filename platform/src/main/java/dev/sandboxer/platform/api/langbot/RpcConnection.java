package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.api.langbot.MessageFrames.ProtocolException;
import dev.sandboxer.platform.dataplane.ClientLine;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.ServerWebSocket;
import io.vertx.core.http.WebSocketFrame;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jboss.logging.Logger;

/**
 * One connection of a client. Each call has a virtual thread of its own and is answered when it is
 * done, in any order. What calls and replies take of memory is bounded: reading stops while too
 * much waits, and replies are written one at a time. With the connection its commands end; boxes
 * stay.
 */
final class RpcConnection {

  private static final Logger LOG = Logger.getLogger(RpcConnection.class);

  private static final int MOST_CALLS = 128;

  /** In addition: calls that are refused because there are too many, and pings. */
  private static final int MORE_CALLS = 16;

  private static final int MOST_COMMANDS = 64;
  private static final long MOST_WAITING_BYTES = 32L * 1024 * 1024;
  private static final long SLOW_SECONDS = 30;
  private static final int INVALID = 1007;
  private static final int MOST_NONSENSE = 16;

  private final ServerWebSocket socket;
  private final Client client;
  private final Calls calls;
  private final Context loop;
  private final ClientLine line;
  private final MessageFrames frames = new MessageFrames();
  private final Map<Object, Cancellable> open = new ConcurrentHashMap<>();
  private final Semaphore commands = new Semaphore(MOST_COMMANDS, true);
  private final ReentrantLock writing = new ReentrantLock(true);
  private int inFlight;
  private long waitingBytes;
  private int nonsense;
  private boolean paused;
  private volatile boolean over;

  RpcConnection(ServerWebSocket socket, Client client, Calls calls, Context loop, ClientLine line) {
    this.socket = socket;
    this.client = client;
    this.calls = calls;
    this.loop = loop;
    this.line = line;
  }

  /**
   * Begins to take calls; runs on the connection's event loop.
   *
   * @param closed runs once, at its end
   */
  void start(Runnable closed) {
    socket.exceptionHandler(failure -> LOG.debugf("connection failed: %s", failure));
    socket.closeHandler(
        on -> {
          gone();
          closed.run();
        });
    socket.frameHandler(this::frame);
  }

  private void gone() {
    over = true;
    open.values().forEach(Cancellable::cancel);
  }

  private void frame(WebSocketFrame frame) {
    if (over) {
      return;
    }
    try {
      frames.add(frame).ifPresent(this::message);
    } catch (ProtocolException e) {
      end(e.status(), String.valueOf(e.getMessage()));
    }
  }

  private void message(Buffer text) {
    inFlight++;
    waitingBytes += text.length();
    boolean busy = inFlight > MOST_CALLS;
    if (!paused && (inFlight >= MOST_CALLS + MORE_CALLS || waitingBytes > MOST_WAITING_BYTES)) {
      paused = true;
      socket.pause();
    }
    int bytes = text.length();
    Thread.ofVirtual()
        .name("langbot-call")
        .start(
            () -> {
              try {
                answer(text, busy);
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
              } finally {
                loop.runOnContext(on -> done(bytes));
              }
            });
  }

  private void done(int bytes) {
    inFlight--;
    waitingBytes -= bytes;
    if (paused && inFlight < MOST_CALLS && waitingBytes <= MOST_WAITING_BYTES / 2) {
      paused = false;
      socket.resume();
    }
  }

  private void answer(Buffer text, boolean busy) throws InterruptedException {
    Optional<JsonObject> read = read(text);
    if (read.isEmpty()) {
      nonsense();
      return;
    }
    JsonObject message = read.get();
    if (message.containsKey("code")) {
      return; // an answer to a call that this side never makes
    }
    Object seq = message.getValue("seq_id") instanceof Number number ? number : -1;
    String action = message.getValue("action") instanceof String name ? name : "";
    switch (action) {
      case "__ping" -> send(Calls.done(seq, new JsonObject()));
      case "__cancel_action" -> send(Calls.done(seq, cancel(message)));
      default -> {
        if (busy) {
          send(Calls.failed(seq, Calls.busy(MOST_CALLS)));
        } else {
          call(seq, action, message);
        }
      }
    }
  }

  private static Optional<JsonObject> read(Buffer text) {
    try {
      JsonObject read = new JsonObject(text);
      return read.getMap() == null ? Optional.empty() : Optional.of(read);
    } catch (DecodeException e) {
      return Optional.empty();
    }
  }

  private void nonsense() throws InterruptedException {
    send(Calls.failed(-1, BoxError.invalid("a message must be a JSON object")));
    loop.runOnContext(
        on -> {
          nonsense++;
          if (nonsense >= MOST_NONSENSE) {
            end(INVALID, "too many messages that are no JSON objects");
          }
        });
  }

  private JsonObject cancel(JsonObject message) {
    Object seq =
        message.getValue("data") instanceof JsonObject data ? data.getValue("seq_id") : null;
    Cancellable running = seq == null ? null : open.get(seq);
    if (running != null) {
      running.cancel();
    }
    return new JsonObject().put("cancelled", running != null);
  }

  private void call(Object seq, String action, JsonObject message) throws InterruptedException {
    Cancellable cancellable = new Cancellable();
    if (open.putIfAbsent(seq, cancellable) != null) {
      send(Calls.failed(seq, BoxError.invalid("seq_id " + seq + " is in flight already")));
      return;
    }
    boolean command = action.equals(Actions.EXEC);
    if (command) {
      commands.acquire();
    }
    try {
      if (over) {
        return;
      }
      Reply reply = run(seq, message, cancellable);
      open.remove(seq); // before the reply is sent: the client may use the number again at once
      answer(reply);
    } finally {
      open.remove(seq, cancellable);
      if (command) {
        commands.release();
      }
    }
  }

  private void answer(Reply reply) throws InterruptedException {
    try {
      send(reply.data());
    } finally {
      reply.sent().run();
    }
  }

  private Reply run(Object seq, JsonObject message, Cancellable cancellable)
      throws InterruptedException {
    try {
      Reply reply = calls.run(client, message, cancellable);
      return new Reply(Calls.done(seq, reply.data()), reply.sent());
    } catch (RuntimeException e) {
      return Reply.of(Calls.failed(seq, Failures.of(e)));
    }
  }

  /**
   * Writes a reply once those before it are with the client's kernel; a client that does not read
   * is cut off.
   */
  private void send(JsonObject reply) throws InterruptedException {
    writing.lockInterruptibly();
    try {
      if (over) {
        return;
      }
      socket
          .writeTextMessage(reply.encode())
          .toCompletionStage()
          .toCompletableFuture()
          .get(SLOW_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException e) {
      loop.runOnContext(on -> drop());
    } catch (ExecutionException e) {
      LOG.debugf("a reply was not sent: %s", e.getCause());
    } finally {
      writing.unlock();
    }
  }

  /** A client that reads nothing would not read a close either. */
  private void drop() {
    if (!over) {
      LOG.warnf("LangBot does not read its replies, cut off instance=%s", client.instance());
      gone();
      line.drop();
    }
  }

  private void end(int status, String reason) {
    if (!over) {
      gone();
      var _ = socket.close((short) status, reason);
    }
  }
}
