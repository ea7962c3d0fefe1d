package dev.sandboxer.dataplane.websocket;

import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelPipeline;
import io.netty.handler.codec.http.DefaultHttpHeaders;
import io.netty.handler.codec.http.HttpClientCodec;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpObjectAggregator;
import io.netty.handler.codec.http.TooLongHttpContentException;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolConfig;
import io.netty.handler.codec.http.websocketx.WebSocketClientProtocolHandler;
import io.netty.handler.ssl.SslContext;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import org.jspecify.annotations.Nullable;

/** One opening handshake: what handles the connection, and how it came out. */
final class Opening {
  private static final int LONGEST_REFUSAL = 256 << 10;
  private static final int LONGEST_FRAME = 8 << 20;

  private final URI address;
  private final HttpHeaders headers = new DefaultHttpHeaders();
  private final String protocol;
  private final Listener listener;
  private final CompletableFuture<Boolean> opened = new CompletableFuture<>();

  Opening(URI address, Map<String, String> headers, String protocol, Listener listener) {
    this.address = address;
    headers.forEach(this.headers::set);
    this.protocol = protocol;
    this.listener = listener;
  }

  ChannelInitializer<Channel> handlers(@Nullable SslContext tls) {
    return new ChannelInitializer<>() {
      @Override
      protected void initChannel(Channel channel) {
        add(channel, tls);
      }
    };
  }

  private void add(Channel channel, @Nullable SslContext tls) {
    ChannelPipeline pipeline = channel.pipeline();
    if (tls != null) {
      String host = address.getHost().replaceAll("^\\[|]$", "");
      pipeline.addLast(tls.newHandler(channel.alloc(), host, address.getPort()));
    }
    pipeline
        .addLast(new HttpClientCodec())
        .addLast(new HttpObjectAggregator(LONGEST_REFUSAL))
        .addLast(new Refusals(opened))
        .addLast(new FewPongs())
        .addLast(new WebSocketClientProtocolHandler(config()))
        .addLast(new Reading(opened, new Delivery(listener)));
  }

  private WebSocketClientProtocolConfig config() {
    return WebSocketClientProtocolConfig.newBuilder()
        .webSocketUri(address)
        .subprotocol(protocol.isEmpty() ? null : protocol)
        .customHeaders(headers)
        .generateOriginHeader(false) // it is no page
        .maxFramePayloadLength(LONGEST_FRAME)
        .handshakeTimeoutMillis(WebSockets.OPENING_MILLIS)
        .handleCloseFrames(false)
        .sendCloseFrame(null)
        .build();
  }

  /** Waits until frames may be sent. */
  void await() throws IOException, InterruptedException {
    try {
      var _ = opened.get();
    } catch (ExecutionException e) {
      Throwable cause = Objects.requireNonNull(e.getCause());
      throw switch (cause) {
        case UpgradeRefused refused -> refused;
        case TooLongHttpContentException _ ->
            new IOException("the answer is longer than " + LONGEST_REFUSAL + " bytes", cause);
        default -> new IOException(Reading.reason(cause), cause);
      };
    }
  }
}
