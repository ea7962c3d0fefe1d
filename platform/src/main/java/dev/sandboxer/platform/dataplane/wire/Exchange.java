package dev.sandboxer.platform.dataplane.wire;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;

/**
 * One request and its reply on one connection. Used on the event loop that opened it. The
 * connection goes back to its pool by itself once both are whole, and is closed otherwise.
 */
public final class Exchange {

  private static final long HEAD_LIMIT_MILLIS = 10_000;
  private static final Buffer LAST_CHUNK = Buffer.buffer("0\r\n\r\n");

  private final WireConnection connection;
  private final ReplyHandler handler;
  private final ReplyReader reader;
  private final RequestHead head;
  private boolean headSent;
  private boolean requestEnded;
  private boolean over;
  private long headTimer = -1;

  Exchange(WireConnection connection, RequestHead head, ReplyHandler handler) {
    this.connection = connection;
    this.head = head;
    this.handler = handler;
    this.reader = new ReplyReader(handler, head.headRequest(), head.wantsUpgrade());
    connection.begin(this);
  }

  /**
   * Sends a part of the body; the head goes along with the first.
   *
   * @param part at least one byte
   */
  public void write(Buffer part) {
    if (!over) {
      send(head.isChunked() ? chunk(part) : part);
    }
  }

  /** Ends the request; sends the head if it had no body. Repeatable. */
  public void endRequest() {
    if (over || requestEnded) {
      return;
    }
    requestEnded = true;
    if (head.isChunked()) {
      send(LAST_CHUNK.copy());
    } else if (!headSent) {
      send(Buffer.buffer(0));
    }
    finishIfWhole();
  }

  /**
   * Whether what was written waits in memory.
   *
   * @return true if the writer should wait for {@link #drained}
   */
  public boolean writeQueueFull() {
    return connection.stream().writeQueueFull();
  }

  /**
   * Runs something once there is room again.
   *
   * @param then on the event loop
   */
  public void drained(Handler<Void> then) {
    connection.stream().drainHandler(then);
  }

  /** Stops the reply's parts. */
  public void pause() {
    if (!over) {
      connection.stream().pause();
    }
  }

  /** Lets the reply's parts come. */
  public void resume() {
    if (!over) {
      connection.stream().resume();
    }
  }

  /** Gives up and closes the connection. The handler hears no more. Repeatable. */
  public void abort() {
    if (!over) {
      finish();
      connection.close();
    }
  }

  /**
   * After a 101: takes the connection over.
   *
   * @return the paused stream and the first bytes that came after the head
   */
  public Tunnel detach() {
    finish();
    return new Tunnel(connection.detach(), reader.rest());
  }

  void received(Buffer data) {
    try {
      reader.feed(data);
    } catch (WireException e) {
      fail(new WireException("it answered with " + e.reason()));
      return;
    }
    if (!over) {
      watchHead();
      finishIfWhole();
    }
  }

  void connectionClosed() {
    fail(new WireException("it closed the connection before its reply was whole"));
  }

  private void fail(WireException cause) {
    if (!over) {
      finish();
      connection.close();
      if (!reader.done()) {
        handler.failed(cause);
      }
    }
  }

  /** A refused upgrade, a last reply and bytes that nobody asked for end the connection. */
  private void finishIfWhole() {
    if (over || !reader.done()) {
      return;
    }
    boolean asItShould = requestEnded && reader.rest().length() == 0;
    boolean reusable = asItShould && !head.wantsUpgrade() && !reader.closes();
    if (reusable) {
      finish();
      connection.pool().release(connection);
    } else if (requestEnded || reader.rest().length() > 0) {
      abort();
    }
  }

  /** A head that trickles in may not hold a connection for ever. */
  private void watchHead() {
    if (reader.inHead() && headTimer < 0) {
      headTimer =
          connection
              .pool()
              .vertx()
              .setTimer(
                  HEAD_LIMIT_MILLIS,
                  fired -> {
                    headTimer = -1;
                    fail(new WireException("it took too long to answer"));
                  });
    } else if (!reader.inHead()) {
      cancelHeadTimer();
    }
  }

  private void finish() {
    over = true;
    cancelHeadTimer();
  }

  private void cancelHeadTimer() {
    if (headTimer >= 0) {
      connection.pool().vertx().cancelTimer(headTimer);
      headTimer = -1;
    }
  }

  private void send(Buffer bytes) {
    Buffer out = bytes;
    if (!headSent) {
      headSent = true;
      out = head.bytes(connection.endpoint().transport()).appendBuffer(bytes);
    }
    connection.stream().write(out);
  }

  private static Buffer chunk(Buffer part) {
    String size = Integer.toHexString(part.length()) + "\r\n";
    return Buffer.buffer(part.length() + size.length() + 2)
        .appendBytes(size.getBytes(StandardCharsets.US_ASCII))
        .appendBuffer(part)
        .appendString("\r\n");
  }

  /**
   * A connection that carries a WebSocket now.
   *
   * @param stream paused
   * @param first bytes that came with the head
   */
  public record Tunnel(WireStream stream, Buffer first) {}
}
