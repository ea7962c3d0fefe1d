package dev.sandboxer.dataplane.websocket;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler;
import io.netty.handler.codec.http.websocketx.WebSocketFrame;
import java.io.EOFException;
import java.net.SocketTimeoutException;
import java.util.concurrent.CompletableFuture;

/**
 * The end of the pipeline: tells how the opening handshake came out, then hands frames over, and
 * reads on from the network only when they were taken.
 */
final class Reading extends ChannelInboundHandlerAdapter {
  private final CompletableFuture<Boolean> opened;
  private final Delivery delivery;

  Reading(CompletableFuture<Boolean> opened, Delivery delivery) {
    this.opened = opened;
    this.delivery = delivery;
  }

  /** What to tell a person about an error, many of which have no message. */
  static String reason(Throwable error) {
    String message = error.getMessage();
    return message == null ? error.getClass().getSimpleName() : message;
  }

  @Override
  public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
    if (event instanceof WebSocketClientProtocolHandler.ClientHandshakeStateEvent handshake) {
      switch (handshake) {
        case HANDSHAKE_COMPLETE -> open(ctx);
        case HANDSHAKE_TIMEOUT -> end(ctx, new SocketTimeoutException("no answer for 10 s"));
        default -> {} // the request went out
      }
    }
    ctx.fireUserEventTriggered(event);
  }

  private void open(ChannelHandlerContext ctx) {
    ctx.channel().config().setAutoRead(false);
    delivery.start(ctx.channel());
    opened.complete(true);
  }

  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    delivery.add(new Delivery.Frame((WebSocketFrame) message));
  }

  @Override
  public void channelReadComplete(ChannelHandlerContext ctx) {
    if (opened.isDone()) {
      delivery.add(new Delivery.ReadOn());
    }
    ctx.fireChannelReadComplete();
  }

  @Override
  public void channelInactive(ChannelHandlerContext ctx) {
    end(ctx, new EOFException("it ended without a word"));
    ctx.fireChannelInactive();
  }

  @Override
  public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
    end(ctx, cause);
  }

  private void end(ChannelHandlerContext ctx, Throwable why) {
    opened.completeExceptionally(why);
    delivery.add(new Delivery.End(why));
    var _ = ctx.close();
  }
}
