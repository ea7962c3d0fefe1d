package dev.sandboxer.dataplane.websocket;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.codec.http.websocketx.PingWebSocketFrame;

/**
 * Drops pings while what was sent waits to be read: the answers to one who only asks would pile up.
 */
final class FewPongs extends ChannelInboundHandlerAdapter {
  @Override
  public void channelRead(ChannelHandlerContext ctx, Object message) {
    if (message instanceof PingWebSocketFrame ping && !ctx.channel().isWritable()) {
      ping.release();
      ctx.read();
    } else {
      ctx.fireChannelRead(message);
    }
  }
}
