package dev.sandboxer.platform.egress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpDecoderConfig;
import io.netty.handler.codec.http.HttpMessage;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseDecoder;
import io.netty.handler.codec.http.HttpResponseEncoder;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.vertx.core.buffer.Buffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One end of an intercepted connection: bytes on one side, messages of HTTP/1.1 on the other, and
 * TLS between them if there is any. All of it happens within the calls, and nothing is kept but
 * what is not whole yet.
 */
final class HttpEnd {

  private static final HttpDecoderConfig LIMITS =
      new HttpDecoderConfig()
          .setMaxInitialLineLength(16 * 1024)
          .setMaxHeaderSize(64 * 1024)
          .setMaxChunkSize(32 * 1024);

  private final EmbeddedChannel channel = new EmbeddedChannel();
  private final Optional<SslHandler> tls;
  private final ChannelHandler decoder;
  private final ChannelHandler encoder;
  private boolean open;
  private boolean ended; // TLS, by the other side
  private boolean headOnly; // the reply that comes next has no body
  private @Nullable Throwable failure;

  private HttpEnd(Optional<SslHandler> tls, boolean program) {
    this.tls = tls;
    this.open = tls.isEmpty();
    this.decoder = program ? new HttpRequestDecoder(LIMITS) : new Replies();
    this.encoder = program ? new Answers() : new HttpRequestEncoder();
    channel.config().setAllocator(new UnpooledByteBufAllocator(false, true)); // nothing to release
    tls.ifPresent(
        handler -> {
          handler.setHandshakeTimeoutMillis(0); // the connection has a limit of its own
          channel.pipeline().addLast(handler);
        });
    channel.pipeline().addLast(decoder, encoder, new Watch());
  }

  /** The end that the program speaks to. */
  static HttpEnd ofProgram(Optional<SslHandler> tls) {
    return new HttpEnd(tls, true);
  }

  /** The end that speaks to the host. */
  static HttpEnd ofHost(Optional<SslHandler> tls) {
    return new HttpEnd(tls, false);
  }

  /** Takes what came. */
  void feed(Buffer bytes) {
    if (channel.isOpen()) {
      channel.writeInbound(Unpooled.wrappedBuffer(bytes.getBytes()));
    }
  }

  /** Nothing more comes: a message that lasts until then is whole. */
  void feedEnd() {
    if (channel.isOpen()) {
      var _ = channel.finish();
    }
  }

  /** The next part of a message, or bytes after {@link #raw}; null if more has to come. */
  @Nullable Object read() {
    return channel.readInbound();
  }

  /** Whether there is something to read. */
  boolean has() {
    return !channel.inboundMessages().isEmpty();
  }

  /** Sends a part of a message, or bytes after {@link #raw}. */
  void write(Object part) {
    if (channel.isOpen()) {
      channel.writeOutbound(part);
    }
  }

  /** What has to be sent; may be empty. */
  Buffer bytes() {
    Buffer all = Buffer.buffer();
    ByteBuf part = channel.readOutbound();
    while (part != null) {
      byte[] bytes = new byte[part.readableBytes()];
      part.readBytes(bytes);
      all.appendBytes(bytes);
      part = channel.readOutbound();
    }
    return all;
  }

  /** Whether messages can be written: TLS is established. */
  boolean isOpen() {
    return open;
  }

  /** Whether the other side has ended TLS. */
  boolean ended() {
    return ended;
  }

  /** Whether the end of the connection is one of what was said, and nobody has cut it. */
  boolean endsInOrder() {
    return tls.isEmpty() || ended;
  }

  Optional<Throwable> failure() {
    return Optional.ofNullable(failure);
  }

  /** Whether the reply that is passed on now answers HEAD. */
  void headOnly(boolean now) {
    headOnly = now;
  }

  /** From now on it is bytes instead of HTTP. */
  void raw() {
    channel.pipeline().remove(encoder);
    channel.pipeline().remove(decoder);
  }

  /** Ends TLS, if there is any. */
  void close() {
    if (channel.isOpen()) {
      tls.ifPresent(
          handler -> {
            var _ = handler.closeOutbound();
          });
      channel.runPendingTasks();
    }
  }

  private final class Replies extends HttpResponseDecoder {

    private Replies() {
      super(LIMITS);
    }

    @Override
    protected boolean isContentAlwaysEmpty(HttpMessage message) {
      return headOnly || super.isContentAlwaysEmpty(message);
    }
  }

  private final class Answers extends HttpResponseEncoder {

    @Override
    protected boolean isContentAlwaysEmpty(HttpResponse message) {
      return headOnly || super.isContentAlwaysEmpty(message);
    }
  }

  private final class Watch extends ChannelInboundHandlerAdapter {

    @Override
    public void userEventTriggered(ChannelHandlerContext context, Object event) {
      if (event instanceof SslHandshakeCompletionEvent done) {
        open = done.isSuccess();
        failure = done.cause();
      } else if (event instanceof SslCloseCompletionEvent done) {
        ended = done.isSuccess();
      }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
      if (failure == null) {
        failure = cause;
      }
    }
  }
}
