package dev.sandboxer.dataplane.websocket;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.handler.codec.http.websocketx.BinaryWebSocketFrame;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;
import io.netty.handler.codec.http.websocketx.TextWebSocketFrame;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import java.util.function.Consumer;

/** An open WebSocket. Safe for use by several threads: each message goes out whole. */
public final class WebSocket {
  private final Channel channel;

  WebSocket(Channel channel) {
    this.channel = channel;
  }

  /**
   * Sends a text message and waits until it was handed to the network.
   *
   * @throws WebSocketGone when the connection is gone
   */
  public void text(String message) throws WebSocketGone {
    send(new TextWebSocketFrame(message));
  }

  /**
   * Sends a binary message and waits until it was handed to the network.
   *
   * @throws WebSocketGone when the connection is gone
   */
  public void binary(byte[]... parts) throws WebSocketGone {
    send(new BinaryWebSocketFrame(Unpooled.wrappedBuffer(parts)));
  }

  /**
   * Asks whether the other side is there; the answer comes to nobody. Does not wait: nothing is
   * asked while what was sent before has not gone out.
   *
   * @param gone called when the connection is gone, on any thread
   */
  public void ping(Consumer<WebSocketGone> gone) {
    if (channel.isActive() && !channel.isWritable()) {
      return;
    }
    channel
        .writeAndFlush(new PingWebSocketFrame())
        .addListener(
            sent -> {
              Throwable cause = sent.cause();
              if (cause != null) {
                gone.accept(new WebSocketGone(cause));
              }
            });
  }

  private void send(WebSocketFrame frame) throws WebSocketGone {
    ChannelFuture sent = channel.writeAndFlush(frame).awaitUninterruptibly();
    Throwable cause = sent.cause();
    if (cause != null) {
      throw new WebSocketGone(cause);
    }
  }

  /** Ends the connection without a word. */
  public void abort() {
    var _ = channel.close();
  }
}
