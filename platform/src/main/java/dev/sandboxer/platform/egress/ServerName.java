package dev.sandboxer.platform.egress;

import dev.sandboxer.platform.egress.Handshake.MalformedException;
import io.netty.buffer.Unpooled;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.AbstractSniHandler;
import io.netty.util.concurrent.Future;
import io.vertx.core.buffer.Buffer;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Holds back what a program sends first in a tunnel, until it is known which server a TLS
 * ClientHello names (RFC 6066, section 3). With an encrypted ClientHello that is the outer name.
 */
final class ServerName {

  private static final byte HANDSHAKE = 22;
  private static final int MAX_HELLO = 64 * 1024;
  private static final int MAX_HELD = 2 * MAX_HELLO;

  private final Reader reader = new Reader();
  private final Buffer held = Buffer.buffer();
  private @Nullable EmbeddedChannel channel; // once it is TLS

  /**
   * Takes what the program sends.
   *
   * @return whether that is enough
   * @throws MalformedException if it begins as TLS does and is not a ClientHello of usual length
   */
  boolean feed(Buffer data) throws MalformedException {
    held.appendBuffer(data);
    if (held.length() == 0) {
      return false;
    }
    if (held.getByte(0) != HANDSHAKE) {
      return true;
    }
    EmbeddedChannel hello = channel == null ? channel() : channel;
    channel = hello;
    try {
      hello.writeInbound(Unpooled.wrappedBuffer(data.getBytes()));
    } catch (DecoderException e) {
      throw new MalformedException("a TLS ClientHello that is broken or too long");
    }
    if (!reader.done && held.length() > MAX_HELD) {
      throw new MalformedException("a TLS ClientHello that does not end");
    }
    return reader.done;
  }

  private EmbeddedChannel channel() {
    EmbeddedChannel made = new EmbeddedChannel();
    made.config().setAllocator(new UnpooledByteBufAllocator(false)); // nothing to release
    made.pipeline().addLast(reader);
    return made;
  }

  /** The name, once enough has come; empty without TLS, and without a name in it. */
  Optional<String> name() {
    return Optional.ofNullable(reader.name);
  }

  /** Whether it is TLS, once enough has come. */
  boolean tls() {
    return held.length() > 0 && held.getByte(0) == HANDSHAKE;
  }

  /** What was held back. */
  Buffer held() {
    return held;
  }

  private static final class Reader extends AbstractSniHandler<Boolean> {

    private @Nullable String name;
    private boolean done;

    private Reader() {
      super(MAX_HELLO, 0);
    }

    @Override
    protected Future<Boolean> lookup(ChannelHandlerContext context, @Nullable String found) {
      name = found;
      done = true;
      return context.executor().newSucceededFuture(true);
    }

    @Override
    protected void onLookupComplete(
        ChannelHandlerContext context, @Nullable String found, Future<Boolean> future) {}
  }
}
