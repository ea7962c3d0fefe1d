package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.dataplane.wire.WireStream;
import dev.sandboxer.platform.dataplane.ws.ClientFrames;
import dev.sandboxer.platform.dataplane.ws.Opcode;
import dev.sandboxer.platform.dataplane.ws.ServerFrames;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.util.ArrayDeque;
import java.util.Queue;

/**
 * Two WebSocket connections, each fed with what the other says, no faster than it takes it. Frames
 * pass as they are; only a further {@code auth} of the client is taken out, and pings of our own,
 * by which we notice that a client is gone, are put in. Runs on the client's event loop.
 */
final class WebSocketBridge implements ClientFrames.Sink {

  /** Text up to here is looked into. */
  static final int MAX_AUTH_BYTES = 16 * 1024;

  private static final Buffer PING = Buffer.buffer("sandboxer-relay");
  private static final int PROTOCOL_ERROR = 1002;
  private static final int POLICY = 1008;
  private static final int INTERNAL = 1011;

  /** Service Restart, of the registry of RFC 6455: connect again. */
  private static final int RESTART = 1012;

  private static final String RESTARTS = "the platform restarts; connect again";

  private final Vertx vertx;
  private final RelayTimeouts timeouts;
  private final ClientLine line;
  private final NetSocket client;
  private final WireStream boxd;
  private final Traffic traffic;
  private final FurtherAuth further;
  private final boolean throughPeer;
  private final Runnable closed;
  private final ServerFrames fromBoxd;
  private final Queue<Buffer> pending = new ArrayDeque<>();
  private long heardNanos = System.nanoTime();
  private long pingedNanos;
  private boolean pinged;
  private boolean clientPaused;
  private boolean restarting;
  private boolean over;

  /** What a client's further token does. */
  interface FurtherAuth {

    /** Whether the text was an {@code auth}; if so, it answers by {@link #say} some time. */
    boolean taken(Buffer text);
  }

  /**
   * Makes a bridge; nothing flows before {@link #start}.
   *
   * @param vertx for timers
   * @param timeouts for a client that sends nothing
   * @param line to the client
   * @param client the upgraded connection
   * @param boxd paused
   * @param traffic counts both ways
   * @param further looks into small texts
   * @param fromBoxd follows boxd
   * @param throughPeer whether boxd's side may end because another node does
   * @param closed runs once, when either side has gone
   */
  WebSocketBridge(
      Vertx vertx,
      RelayTimeouts timeouts,
      ClientLine line,
      NetSocket client,
      WireStream boxd,
      Traffic traffic,
      FurtherAuth further,
      ServerFrames fromBoxd,
      boolean throughPeer,
      Runnable closed) {
    this.vertx = vertx;
    this.timeouts = timeouts;
    this.line = line;
    this.client = client;
    this.boxd = boxd;
    this.traffic = traffic;
    this.further = further;
    this.fromBoxd = fromBoxd;
    this.throughPeer = throughPeer;
    this.closed = closed;
  }

  /**
   * Lets the data flow.
   *
   * @param first bytes that boxd has said already
   * @param frames follows the client, and shows its frames to this bridge
   */
  void start(Buffer first, ClientFrames frames) {
    line.takenOver();
    client.exceptionHandler(failure -> close());
    boxd.exceptionHandler(failure -> close());
    // After all data, also where that waits for the other side; the close handler comes before.
    client.endHandler(ended -> close());
    boxd.endHandler(ended -> boxdGone());
    client.handler(data -> clientSaid(frames, data));
    boxd.handler(this::boxdSaid);
    if (first.length() > 0) {
      boxdSaid(first);
    }
    boxd.resume();
    client.resume();
  }

  /** Ends both sides with a word on why, and leaves the client no time. */
  void cut() {
    end(POLICY, "access to the sandbox was withdrawn, or it has ended");
  }

  /** Ends both sides at the next end of a message; the client is to connect again. */
  void restart() {
    restarting = true;
    if (fromBoxd.between()) {
      end(RESTART, RESTARTS);
    }
  }

  /** After boxd's own close frame the client has ended already, or does so now. */
  private void boxdGone() {
    if (throughPeer && !fromBoxd.closed()) {
      end(RESTART, "the sandbox's node went away; connect again");
    } else {
      close();
    }
  }

  /** Says something to the client, between two messages of boxd. */
  void say(Buffer frame) {
    if (!over && pending.isEmpty() && fromBoxd.between()) {
      client.write(frame);
    } else if (!over) {
      pending.add(frame);
    }
  }

  /** Pings a client that is silent, and ends one that does not answer. */
  void watch() {
    traffic.report();
    long silent = System.nanoTime() - heardNanos;
    if (over || clientPaused || client.writeQueueFull()) {
      heard();
    } else if (pinged && System.nanoTime() - pingedNanos > timeouts.gone().toNanos()) {
      end(POLICY, "no answer to pings");
    } else if (!pinged && silent > timeouts.silent().toNanos()) {
      pinged = true;
      pingedNanos = System.nanoTime();
      say(ServerFrames.control(Opcode.PING, PING));
    }
  }

  private void heard() {
    heardNanos = System.nanoTime();
    pinged = false;
  }

  private void clientSaid(ClientFrames frames, Buffer data) {
    if (over) {
      return;
    }
    heard();
    traffic.up(data.length());
    try {
      frames.feed(data);
    } catch (WireException e) {
      end(PROTOCOL_ERROR, e.reason());
      return;
    }
    if (!over && boxd.writeQueueFull()) {
      clientPaused = true;
      client.pause();
      boxd.drainHandler(drained -> clientGoesOn());
    }
  }

  private void clientGoesOn() {
    clientPaused = false;
    heard();
    client.resume();
  }

  @Override
  public void text(Buffer raw, Buffer text) {
    if (!further.taken(text)) {
      boxd.write(raw);
    }
  }

  @Override
  public void control(int opcode, Buffer raw, Buffer payload) {
    if (opcode != Opcode.PONG || !payload.equals(PING)) {
      boxd.write(raw);
    }
  }

  @Override
  public void pass(Buffer raw) {
    boxd.write(raw);
  }

  private void boxdSaid(Buffer data) {
    if (over) {
      return;
    }
    int place;
    try {
      place = fromBoxd.feed(data);
    } catch (WireException e) {
      end(INTERNAL, "the sandbox sent " + e.reason());
      return;
    }
    traffic.down(data.length());
    if (restarting && place >= 0) {
      client.write(data.slice(0, place));
      client.write(ServerFrames.close(RESTART, RESTARTS));
      leave();
      return;
    }
    if (pending.isEmpty() || place < 0) {
      client.write(data);
    } else {
      client.write(data.slice(0, place));
      pending.forEach(client::write);
      pending.clear();
      if (place < data.length()) {
        client.write(data.slice(place, data.length()));
      }
    }
    if (client.writeQueueFull()) {
      boxd.pause();
      client.drainHandler(drained -> boxd.resume());
    }
  }

  private void end(int status, String reason) {
    if (over) {
      return;
    }
    if (fromBoxd.between() && !fromBoxd.closed()) {
      client.write(ServerFrames.close(status, reason));
    }
    leave();
  }

  private void leave() {
    finish();
    boxd.cut();
    line.linger(vertx, client);
  }

  private void close() {
    if (!over) {
      finish();
      boxd.close();
      client.close();
    }
  }

  private void finish() {
    over = true;
    traffic.report();
    closed.run();
  }
}
