package dev.sandboxer.dataplane.websocket;

import io.netty.channel.Channel;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.CloseWebSocketFrame;
import io.netty.handler.codec.http.websocketx.ContinuationWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import java.nio.ByteBuffer;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;

/**
 * Hands what came to the listener, on a thread that lives as long as the connection. At most what
 * one read from the network brought waits in the queue.
 */
final class Delivery {
  /** What is delivered, in order. */
  sealed interface Event {}

  /** A frame that came. */
  record Frame(WebSocketFrame frame) implements Event {}

  /** All that the last read brought was delivered: the next is due. */
  record ReadOn() implements Event {}

  /** Nothing more will come. */
  record End(Throwable why) implements Event {}

  private final BlockingQueue<Event> events = new LinkedBlockingQueue<>();
  private final Listener listener;
  private boolean text;

  Delivery(Listener listener) {
    this.listener = listener;
  }

  void add(Event event) {
    events.add(event);
  }

  void start(Channel channel) {
    Thread.ofPlatform().daemon().name("websocket-reader").start(() -> deliver(channel));
  }

  private void deliver(Channel channel) {
    try {
      boolean wanted = true;
      while (wanted) {
        wanted =
            switch (events.take()) {
              case Frame(WebSocketFrame frame) -> frame(frame);
              case ReadOn _ -> readOn(channel);
              case End(Throwable why) -> end(why);
            };
      }
    } catch (InterruptedException | RuntimeException e) {
      listener.onError(e);
    } finally {
      var _ = channel.close();
    }
  }

  private static boolean readOn(Channel channel) {
    channel.read();
    return true;
  }

  private boolean end(Throwable why) {
    listener.onError(why);
    return false;
  }

  private boolean frame(WebSocketFrame frame) {
    try {
      return switch (frame) {
        case CloseWebSocketFrame close -> close(close);
        case TextWebSocketFrame first -> message(first, true);
        case BinaryWebSocketFrame first -> message(first, false);
        case ContinuationWebSocketFrame next -> message(next, text);
        default -> true; // pings were answered, pongs dropped before
      };
    } finally {
      frame.release();
    }
  }

  private boolean close(CloseWebSocketFrame close) {
    listener.onClose(close.statusCode(), close.reasonText());
    return false;
  }

  private boolean message(WebSocketFrame frame, boolean isText) {
    text = isText;
    ByteBuffer part = frame.content().nioBuffer();
    return isText
        ? listener.onText(part, frame.isFinalFragment())
        : listener.onBinary(part, frame.isFinalFragment());
  }
}
