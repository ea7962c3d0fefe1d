package dev.sandboxer.platform.egress;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpObject;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpRequestDecoder;
import io.netty.handler.codec.http.HttpRequestEncoder;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * HTTP/1.1 to a proxy (RFC 9110, 9112): CONNECT, and requests in absolute form. Of those each
 * connection carries one: the answer ends it, and what follows the request goes nowhere, so that
 * every request is checked.
 */
final class HttpHandshake implements Handshake {

  private static final int MAX_HEAD = 16 * 1024;
  private static final byte[] END = {'\r', '\n', '\r', '\n'};
  private static final String SCHEME = "http://";
  private static final Pattern UNPRINTABLE = Pattern.compile("[^ -~]");

  private final EmbeddedChannel decoder = new EmbeddedChannel(new HttpRequestDecoder());
  private final Buffer head = Buffer.buffer();
  private Buffer early = Buffer.buffer();
  private @Nullable Forwarded forwarded; // null for CONNECT
  private final ReplyHead reply = new ReplyHead();
  private boolean begun;
  private boolean whole;

  /** A request that is not CONNECT, and what writes it. */
  private record Forwarded(HttpRequest head, EmbeddedChannel encoder) {}

  @Override
  public Step feed(Buffer data) throws MalformedException {
    head.appendBuffer(data);
    int end = end();
    if (end < 0) {
      if (head.length() > MAX_HEAD) {
        throw new MalformedException("a request head of more than %d bytes".formatted(MAX_HEAD));
      }
      return new Step.More(Buffer.buffer());
    }
    early = head.getBuffer(end, head.length());
    decoder.writeInbound(Unpooled.wrappedBuffer(head.getBytes(0, end)));
    HttpObject read = decoder.readInbound();
    if (!(read instanceof HttpRequest asked) || asked.decoderResult().isFailure()) {
      throw new MalformedException("this is no request in HTTP/1.1");
    }
    return asked.method().equals(HttpMethod.CONNECT) ? tunnel(asked) : absolute(asked);
  }

  private int end() {
    int last = Math.min(head.length(), MAX_HEAD) - END.length;
    for (int i = 0; i <= last; i++) {
      if (head.getByte(i) == END[0]
          && head.getByte(i + 1) == END[1]
          && head.getByte(i + 2) == END[2]
          && head.getByte(i + 3) == END[3]) {
        return i + END.length;
      }
    }
    return -1;
  }

  private static Step tunnel(HttpRequest asked) throws MalformedException {
    Authority authority = Authority.parse(asked.uri(), -1);
    return new Step.Wanted(authority.host(), authority.port());
  }

  private Step absolute(HttpRequest asked) throws MalformedException {
    String uri = asked.uri();
    if (!uri.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
      throw new MalformedException(
          "this is a proxy: it takes CONNECT host:port and GET http://host/path, not '%.100s'"
              .formatted(uri));
    }
    int path = SCHEME.length();
    while (path < uri.length() && "/?#".indexOf(uri.charAt(path)) < 0) {
      path++;
    }
    Authority authority = Authority.parse(uri.substring(SCHEME.length(), path), 80);
    String rest = uri.substring(path);
    asked.setUri(rest.startsWith("/") ? rest : "/" + rest);
    clean(asked, authority);
    forwarded = new Forwarded(asked, new EmbeddedChannel(new HttpRequestEncoder()));
    return new Step.Wanted(authority.host(), authority.port());
  }

  /** The host of the absolute form wins (RFC 9112, 3.2.2). */
  private static void clean(HttpRequest asked, Authority authority) {
    HopByHop.remove(asked.headers());
    asked.headers().remove(HttpHeaderNames.TRAILER);
    asked.headers().set(HttpHeaderNames.HOST, authority.shown());
    asked.headers().set(HttpHeaderNames.CONNECTION, "close");
  }

  @Override
  public boolean tunnel() {
    return forwarded == null;
  }

  @Override
  public Optional<String> method() {
    return Optional.ofNullable(forwarded).map(to -> to.head().method().name());
  }

  @Override
  public Buffer opened() {
    return tunnel()
        ? Buffer.buffer("HTTP/1.1 200 Connection established\r\n\r\n")
        : Buffer.buffer();
  }

  /** The reason phrase has it as well: of a refused CONNECT programs show no more than that. */
  @Override
  public Buffer refused(Refusal refusal) {
    int status =
        switch (refusal.kind()) {
          case MALFORMED -> 400;
          case FORBIDDEN -> 403;
          case UNREACHABLE -> 502;
        };
    String message = "sandboxer: " + refusal.message();
    byte[] text = (message + "\n").getBytes(StandardCharsets.UTF_8);
    return Buffer.buffer(
            """
            HTTP/1.1 %d %s\r
            Content-Type: text/plain; charset=utf-8\r
            Content-Length: %d\r
            Connection: close\r
            \r
            """
                .formatted(status, UNPRINTABLE.matcher(message).replaceAll("?"), text.length))
        .appendBytes(text);
  }

  @Override
  public Buffer outwards(Buffer data) throws MalformedException {
    Buffer in = data;
    if (early.length() > 0) {
      in = early.appendBuffer(data);
      early = Buffer.buffer();
    }
    return forwarded == null ? in : body(forwarded, in);
  }

  @Override
  public Buffer inwards(Buffer data) {
    return forwarded == null ? data : reply.closing(data);
  }

  /** The body, framed again as it was read: both ends see the same request. */
  private Buffer body(Forwarded to, Buffer in) throws MalformedException {
    if (!begun) {
      begun = true;
      to.encoder().writeOutbound(to.head());
    }
    if (in.length() > 0 && !whole) {
      decoder.writeInbound(Unpooled.wrappedBuffer(in.getBytes()));
    }
    HttpObject part = decoder.readInbound();
    while (part != null && !whole) {
      if (part.decoderResult().isFailure() || !(part instanceof HttpContent content)) {
        throw new MalformedException("a body that breaks HTTP/1.1");
      }
      whole = part instanceof LastHttpContent;
      to.encoder().writeOutbound(content);
      part = decoder.readInbound();
    }
    return encoded(to.encoder());
  }

  private static Buffer encoded(EmbeddedChannel encoder) {
    Buffer all = Buffer.buffer();
    ByteBuf part = encoder.readOutbound();
    while (part != null) {
      byte[] bytes = new byte[part.readableBytes()];
      part.readBytes(bytes).release();
      all.appendBytes(bytes);
      part = encoder.readOutbound();
    }
    return all;
  }
}
