package dev.sandboxer.dataplane.websocket;

import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.SimpleChannelInboundHandler;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import java.net.ProtocolException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;

/** Keeps what a refused handshake says, which Netty's own handler drops. */
final class Refusals extends SimpleChannelInboundHandler<FullHttpResponse> {
  private final CompletableFuture<Boolean> opened;

  Refusals(CompletableFuture<Boolean> opened) {
    this.opened = opened;
  }

  @Override
  protected void channelRead0(ChannelHandlerContext ctx, FullHttpResponse response) {
    if (response.decoderResult().isFailure()) {
      opened.completeExceptionally(
          new ProtocolException("no HTTP: " + Reading.reason(response.decoderResult().cause())));
      var _ = ctx.close();
    } else if (response.status().equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
      ctx.fireChannelRead(response.retain());
    } else {
      opened.completeExceptionally(
          new UpgradeRefused(
              response.status().code(), response.content().toString(StandardCharsets.UTF_8)));
      var _ = ctx.close();
    }
  }
}
