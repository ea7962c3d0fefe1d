package dev.sandboxer.platform.egress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.socksx.v5.DefaultSocks5CommandResponse;
import io.netty.handler.codec.socksx.v5.DefaultSocks5InitialResponse;
import io.netty.handler.codec.socksx.v5.Socks5AddressType;
import io.netty.handler.codec.socksx.v5.Socks5AuthMethod;
import io.netty.handler.codec.socksx.v5.Socks5CommandRequest;
import io.netty.handler.codec.socksx.v5.Socks5CommandRequestDecoder;
import io.netty.handler.codec.socksx.v5.Socks5CommandStatus;
import io.netty.handler.codec.socksx.v5.Socks5CommandType;
import io.netty.handler.codec.socksx.v5.Socks5InitialRequest;
import io.netty.handler.codec.socksx.v5.Socks5InitialRequestDecoder;
import io.netty.handler.codec.socksx.v5.Socks5Message;
import io.netty.handler.codec.socksx.v5.Socks5ServerEncoder;
import io.vertx.core.buffer.Buffer;
import java.util.Optional;

/** SOCKS5 (RFC 1928): CONNECT without authentication; names are resolved by the proxy. */
final class SocksHandshake implements Handshake {

  static final byte VERSION = 5;
  private static final int MAX_BYTES = 1024;

  private final EmbeddedChannel greeting = new EmbeddedChannel(new Socks5InitialRequestDecoder());
  private final EmbeddedChannel command = new EmbeddedChannel(new Socks5CommandRequestDecoder());
  private Buffer owed = Buffer.buffer(); // of the greeting, to a program that did not wait for it
  private Buffer early = Buffer.buffer(); // what came after the request
  private boolean greeted;
  private int bytes;

  @Override
  public Step feed(Buffer data) throws MalformedException {
    bytes += data.length();
    if (bytes > MAX_BYTES) {
      throw new MalformedException("a SOCKS request of more than %d bytes".formatted(MAX_BYTES));
    }
    ByteBuf in = Unpooled.wrappedBuffer(data.getBytes());
    if (greeted) {
      return commanded(in);
    }
    greeting.writeInbound(in);
    Socks5InitialRequest hello = greeting.readInbound();
    if (hello == null) {
      return new Step.More(Buffer.buffer());
    }
    if (hello.decoderResult().isFailure()
        || !hello.authMethods().contains(Socks5AuthMethod.NO_AUTH)) {
      throw new MalformedException("SOCKS5 without the method \"no authentication\"");
    }
    greeted = true;
    ByteBuf rest = greeting.readInbound();
    Step next = rest == null ? new Step.More(Buffer.buffer()) : commanded(rest);
    Buffer chosen = encoded(new DefaultSocks5InitialResponse(Socks5AuthMethod.NO_AUTH));
    if (next instanceof Step.More) {
      return new Step.More(chosen);
    }
    owed = chosen;
    return next;
  }

  private Step commanded(ByteBuf in) throws MalformedException {
    command.writeInbound(in);
    Socks5CommandRequest request = command.readInbound();
    if (request == null) {
      return new Step.More(Buffer.buffer());
    }
    if (request.decoderResult().isFailure() || !request.type().equals(Socks5CommandType.CONNECT)) {
      throw new MalformedException("SOCKS5 with another command than CONNECT");
    }
    ByteBuf rest = command.readInbound();
    if (rest != null) {
      early = bytes(rest);
    }
    return new Step.Wanted(request.dstAddr(), request.dstPort());
  }

  @Override
  public boolean tunnel() {
    return true;
  }

  @Override
  public Optional<String> method() {
    return Optional.empty();
  }

  @Override
  public Buffer opened() {
    return answer(Socks5CommandStatus.SUCCESS);
  }

  @Override
  public Buffer refused(Refusal refusal) {
    if (!greeted) {
      return encoded(new DefaultSocks5InitialResponse(Socks5AuthMethod.UNACCEPTED));
    }
    return answer(
        switch (refusal.kind()) {
          case MALFORMED -> Socks5CommandStatus.COMMAND_UNSUPPORTED;
          case FORBIDDEN -> Socks5CommandStatus.FORBIDDEN;
          case UNREACHABLE -> Socks5CommandStatus.HOST_UNREACHABLE;
        });
  }

  private Buffer answer(Socks5CommandStatus status) {
    Buffer reply = encoded(new DefaultSocks5CommandResponse(status, Socks5AddressType.IPv4));
    return owed.copy().appendBuffer(reply);
  }

  @Override
  public Buffer outwards(Buffer data) {
    if (early.length() == 0) {
      return data;
    }
    Buffer all = early.appendBuffer(data);
    early = Buffer.buffer();
    return all;
  }

  @Override
  public Buffer inwards(Buffer data) {
    return data;
  }

  private static Buffer encoded(Socks5Message message) {
    EmbeddedChannel encoder = new EmbeddedChannel(Socks5ServerEncoder.DEFAULT);
    encoder.writeOutbound(message);
    return bytes(encoder.readOutbound());
  }

  private static Buffer bytes(ByteBuf from) {
    byte[] all = new byte[from.readableBytes()];
    from.readBytes(all).release();
    return Buffer.buffer(all);
  }
}
