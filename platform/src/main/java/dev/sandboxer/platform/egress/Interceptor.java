package dev.sandboxer.platform.egress;

import dev.sandboxer.platform.address.HostName;
import dev.sandboxer.platform.egress.EgressSecret.UnavailableException;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.handler.codec.http.DefaultFullHttpResponse;
import io.netty.handler.codec.http.FullHttpResponse;
import io.netty.handler.codec.http.HttpContent;
import io.netty.handler.codec.http.HttpHeaderNames;
import io.netty.handler.codec.http.HttpHeaderValues;
import io.netty.handler.codec.http.HttpHeaders;
import io.netty.handler.codec.http.HttpMethod;
import io.netty.handler.codec.http.HttpRequest;
import io.netty.handler.codec.http.HttpResponse;
import io.netty.handler.codec.http.HttpResponseStatus;
import io.netty.handler.codec.http.HttpStatusClass;
import io.netty.handler.codec.http.HttpUtil;
import io.netty.handler.codec.http.HttpVersion;
import io.netty.handler.codec.http.LastHttpContent;
import io.vertx.core.buffer.Buffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * Passes the requests of one connection on, each checked and with what the host's secrets add.
 * There is one at a time: what a program sends early waits. Lives on one event loop.
 */
final class Interceptor {

  private static final long TLS_MILLIS = 10_000;
  private static final long VALUE_MILLIS = 30_000;
  private static final HttpStatusClass INTERIM = HttpStatusClass.INFORMATIONAL;

  private final HttpEnd program;
  private final HttpEnd host;
  private final RequestCheck check;
  private final SecretHeaders secrets;
  private final Link link;
  private @Nullable Exchange now;
  private @Nullable String lost; // why the host cannot be asked
  private boolean served; // a request before
  private boolean tunnel; // after an upgrade
  private boolean over;

  Interceptor(HttpEnd program, HttpEnd host, RequestCheck check, SecretHeaders secrets, Link link) {
    this.program = program;
    this.host = host;
    this.check = check;
    this.secrets = secrets;
    this.link = link;
  }

  /** The connection whose bytes these are. */
  interface Link {

    void toProgram(Buffer bytes);

    void toHost(Buffer bytes);

    /** What may come has changed. */
    void flow();

    void denied(HostName wanted, String reason);

    /** All was said. */
    void end();

    /** Something broke off. */
    void cut();

    /** Runs something later, unless the returned is run before. */
    Runnable after(long millis, Runnable task);

    /** Runs something on the event loop. */
    void run(Runnable task);
  }

  /** A request and its reply. */
  private static final class Exchange {

    private boolean head; // the method
    private boolean wantsSocket; // WebSocket
    private boolean last; // of the connection
    private boolean sent; // its head
    private boolean asked; // all of it
    private boolean answered; // the head of the reply
    private boolean interim;
    private boolean untilEnd; // the reply lasts until the host ends the connection
    private boolean replied; // all of it
  }

  /** Sends what TLS begins with. */
  void begin() {
    var _ = link.after(TLS_MILLIS, this::tlsIsDue);
    flush();
  }

  private void tlsIsDue() {
    if (over) {
      return;
    }
    if (!program.isOpen()) {
      cut();
    } else if (!host.isOpen()) {
      lose("it does not finish the TLS handshake");
      step();
    }
  }

  /** Whether the program should wait. */
  boolean holds() {
    return program.has();
  }

  void fromProgram(Buffer bytes) {
    if (!over) {
      program.feed(bytes);
      step();
    }
  }

  private void step() {
    if (!over && program.failure().isPresent()) {
      end(); // TLS says why
    }
    while (!over && takes() && program.has()) {
      switch (program.read()) {
        case HttpRequest request -> begin(request);
        case HttpContent content -> pass(content);
        case ByteBuf bytes -> host.write(bytes);
        case null, default -> cut();
      }
    }
    flush();
  }

  private boolean takes() {
    Exchange one = now;
    if (tunnel) {
      return true;
    }
    return one == null ? host.isOpen() || lost != null : one.sent && !one.asked;
  }

  private void flush() {
    if (over) {
      return;
    }
    Buffer inwards = program.bytes();
    if (inwards.length() > 0) {
      link.toProgram(inwards);
    }
    Buffer outwards = host.bytes();
    if (outwards.length() > 0) {
      link.toHost(outwards);
    }
    link.flow();
  }

  private void begin(HttpRequest request) {
    Exchange one = new Exchange();
    now = one;
    one.head = request.method().equals(HttpMethod.HEAD);
    program.headOnly(one.head);
    host.headOnly(one.head);
    Optional<RequestCheck.Refused> refused = check.refused(request);
    if (refused.isPresent()) {
      refused.get().denied().ifPresent(wanted -> link.denied(wanted, refused.get().message()));
      refuse(refused.get().status(), refused.get().message());
      return;
    }
    one.last = !HttpUtil.isKeepAlive(request);
    one.wantsSocket = isWebSocket(request);
    HopByHop.remove(request.headers());
    if (one.wantsSocket) {
      socket(request.headers());
    } else if (one.last) {
      request.headers().set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    }
    List<EgressSecret> needed = secrets.needed(request.headers());
    if (needed.isEmpty()) {
      send(one, request, Map.of());
    } else {
      Runnable limit =
          link.after(VALUE_MILLIS, () -> failed(one, "a secret of this host did not come in time"));
      SecretHeaders.values(needed)
          .whenComplete(
              (values, e) ->
                  link.run(
                      () -> {
                        limit.run();
                        valued(one, request, values, e);
                      }));
    }
  }

  private static boolean isWebSocket(HttpRequest request) {
    return request.headers().containsValue(HttpHeaderNames.CONNECTION, "upgrade", true)
        && request.headers().contains(HttpHeaderNames.UPGRADE, "websocket", true)
        && request.method().equals(HttpMethod.GET);
  }

  private static void socket(HttpHeaders headers) {
    headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.UPGRADE);
    headers.set(HttpHeaderNames.UPGRADE, HttpHeaderValues.WEBSOCKET);
  }

  private void valued(
      Exchange one,
      HttpRequest request,
      @Nullable Map<EgressSecret, String> values,
      @Nullable Throwable failure) {
    if (over || one.sent) {
      return;
    }
    if (values != null) {
      send(one, request, values);
      step();
    } else {
      Throwable cause = failure instanceof CompletionException e ? e.getCause() : failure;
      failed(
          one,
          cause instanceof UnavailableException e
              ? String.valueOf(e.getMessage())
              : "a secret of this host is not available");
    }
  }

  private void failed(Exchange one, String message) {
    if (!over && !one.sent) {
      refuse(HttpResponseStatus.BAD_GATEWAY, message);
    }
  }

  private void send(Exchange one, HttpRequest request, Map<EgressSecret, String> values) {
    if (lost != null) {
      refuse(HttpResponseStatus.BAD_GATEWAY, lost);
      return;
    }
    SecretHeaders.put(request.headers(), values);
    one.sent = true;
    host.write(request);
  }

  private void pass(HttpContent content) {
    Exchange one = now;
    if (content.decoderResult().isFailure() || one == null) {
      refuse(HttpResponseStatus.BAD_REQUEST, "a body that breaks HTTP/1.1");
      return;
    }
    host.write(content);
    if (content instanceof LastHttpContent) {
      one.asked = true;
      finish(one);
    }
  }

  void fromHost(Buffer bytes) {
    if (!over) {
      host.feed(bytes);
      replies();
      step();
      if (host.ended()) {
        hostEnded();
      }
    }
  }

  /** The host has ended the connection. */
  void hostEnded() {
    if (over) {
      return;
    }
    host.feedEnd();
    replies();
    Exchange one = now;
    if (over) {
      return;
    }
    if (tunnel) {
      end();
    } else if (one != null && one.answered) {
      cut();
    } else {
      lose("it has ended the connection");
      step();
    }
  }

  private void replies() {
    while (!over && host.has()) {
      switch (host.read()) {
        case HttpResponse response -> reply(response);
        case HttpContent content -> reply(content);
        case ByteBuf bytes when tunnel -> program.write(bytes);
        case null, default -> cut();
      }
    }
    host.failure().filter(_ -> !over).ifPresent(cause -> lose(reason(cause)));
  }

  /** The innermost cause says most, such as that a name or an authority is not the right one. */
  private static String reason(Throwable failure) {
    Throwable cause = failure;
    while (cause.getCause() != null) {
      cause = cause.getCause();
    }
    return "%.300s".formatted(cause.getMessage());
  }

  /**
   * The host cannot be asked any more: the request that waits, or the first to come, is refused.
   */
  private void lose(String reason) {
    if (lost != null) {
      return;
    }
    lost = "%s:%d: %s".formatted(check.host().text(), check.port(), reason);
    Exchange one = now;
    if (one != null && one.answered) {
      cut();
    } else if (served) {
      end(); // without a reply, so that the program asks again on another connection
    } else if (one != null) {
      refuse(HttpResponseStatus.BAD_GATEWAY, lost);
    }
  }

  private void reply(HttpResponse response) {
    Exchange one = now;
    if (one == null || !one.sent || one.answered) {
      cut(); // nobody asked
      return;
    }
    if (response.decoderResult().isFailure()) {
      refuse(HttpResponseStatus.BAD_GATEWAY, "the host's reply is not HTTP/1.1");
      return;
    }
    HttpResponseStatus status = response.status();
    HttpHeaders headers = response.headers();
    boolean keeps = HttpUtil.isKeepAlive(response);
    boolean socket =
        headers.contains(HttpHeaderNames.UPGRADE, "websocket", true)
            && headers.contains(HttpHeaderNames.SEC_WEBSOCKET_ACCEPT);
    HopByHop.remove(headers);
    response.setProtocolVersion(HttpVersion.HTTP_1_1);
    if (status.equals(HttpResponseStatus.SWITCHING_PROTOCOLS)) {
      if (!one.wantsSocket || !socket) {
        refuse(HttpResponseStatus.BAD_GATEWAY, "the host changes to a protocol of its own");
        return;
      }
      one.answered = true;
      one.interim = true;
      socket(headers);
    } else if (status.codeClass().equals(INTERIM)) {
      one.interim = true;
    } else {
      one.answered = true;
      one.untilEnd = !one.head && !hasEnd(response);
      one.last |= !keeps || one.untilEnd;
      if (one.last) {
        headers.set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
      }
    }
    program.write(response);
  }

  private static boolean hasEnd(HttpResponse response) {
    return HttpUtil.isTransferEncodingChunked(response)
        || response.headers().contains(HttpHeaderNames.CONTENT_LENGTH)
        || response.status().equals(HttpResponseStatus.NO_CONTENT)
        || response.status().equals(HttpResponseStatus.NOT_MODIFIED);
  }

  private void reply(HttpContent content) {
    Exchange one = now;
    if (one == null || content.decoderResult().isFailure()) {
      cut();
      return;
    }
    boolean last = content instanceof LastHttpContent;
    if (last && one.untilEnd && !host.endsInOrder()) {
      flush();
      cut(); // the program must not take a part for the whole
      return;
    }
    program.write(content);
    if (last && one.interim) {
      one.interim = false;
      if (one.answered) {
        upgrade();
      }
    } else if (last) {
      one.replied = true;
      finish(one);
    }
  }

  private void upgrade() {
    if (program.has()) {
      cut(); // it did not wait, and what it sent was read as HTTP
      return;
    }
    tunnel = true;
    program.raw();
    host.raw();
  }

  private void finish(Exchange one) {
    if (one.replied && one.last) {
      end();
    } else if (one.replied && one.asked) {
      now = null;
      served = true;
    }
  }

  /** What the program hears is the last word. */
  private void refuse(HttpResponseStatus status, String message) {
    Exchange one = now;
    if (over) {
      return;
    }
    if (one != null && one.answered) {
      cut(); // it would be read as a part of the reply
      return;
    }
    FullHttpResponse reply =
        new DefaultFullHttpResponse(
            HttpVersion.HTTP_1_1,
            status,
            Unpooled.copiedBuffer("sandboxer: " + message + "\n", StandardCharsets.UTF_8));
    reply
        .headers()
        .set(HttpHeaderNames.CONTENT_TYPE, "text/plain; charset=utf-8")
        .set(HttpHeaderNames.CONTENT_LENGTH, reply.content().readableBytes())
        .set(HttpHeaderNames.CONNECTION, HttpHeaderValues.CLOSE);
    program.write(reply);
    end();
  }

  private void end() {
    program.close();
    host.close();
    flush();
    over = true;
    link.end();
  }

  private void cut() {
    over = true;
    link.cut();
  }
}
