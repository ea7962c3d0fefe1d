package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.Exchange;
import dev.sandboxer.platform.dataplane.wire.ReplyHandler;
import dev.sandboxer.platform.dataplane.wire.ReplyHead;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.RequestId;
import dev.sandboxer.platform.token.TokenClaims;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * One client's request on its way to boxd and the reply on its way back, or the WebSocket that
 * comes of it. Lives on the event loop of the client's connection.
 */
final class Forward implements ReplyHandler, OpenStreams.OpenStream {

  private static final Logger LOG = Logger.getLogger(Forward.class);
  private static final int SWITCHING = 101;
  private static final int NOT_MODIFIED = 304;
  private static final int UNAUTHORIZED = 401;
  private static final int CLIENT_GONE = 499;

  private final RoutingContext context;
  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final Context loop;
  private final Target target;
  private final TokenClaims claims;
  private final @Nullable Upgrade upgrade;
  private final OpenStreams streams;
  private final RelayMetrics metrics;
  private @Nullable Exchange exchange;
  private @Nullable Splice splice;
  private boolean requestEnded;
  private boolean over;

  Forward(
      RoutingContext context,
      Target target,
      TokenClaims claims,
      @Nullable Upgrade upgrade,
      OpenStreams streams,
      RelayMetrics metrics) {
    this.context = context;
    this.request = context.request();
    this.response = request.response();
    this.loop = context.vertx().getOrCreateContext();
    this.target = target;
    this.claims = claims;
    this.upgrade = upgrade;
    this.streams = streams;
    this.metrics = metrics;
    response.exceptionHandler(failure -> clientGone());
    response.closeHandler(gone -> clientGone());
  }

  @Override
  public Target target() {
    return target;
  }

  @Override
  public TokenClaims claims() {
    return claims;
  }

  @Override
  public void cut() {
    loop.runOnContext(on -> cutNow());
  }

  /** The connection to boxd is there: the request may flow. */
  void opened(Exchange opened) {
    if (over) {
      opened.abort();
      return;
    }
    exchange = opened;
    if (upgrade != null) {
      requestEnded = true;
      opened.endRequest();
      return;
    }
    request.exceptionHandler(failure -> clientGone());
    request.endHandler(
        ended -> {
          requestEnded = true;
          opened.endRequest();
        });
    request.handler(part -> requestPart(opened, part));
    request.resume();
  }

  private void requestPart(Exchange to, Buffer part) {
    metrics.up(part.length());
    to.write(part);
    if (to.writeQueueFull()) {
      request.pause();
      to.drained(drained -> request.resume());
    }
  }

  @Override
  public void head(ReplyHead head, boolean hasBody) {
    if (over) {
      return;
    }
    try {
      if (head.status() == SWITCHING && upgrade != null) {
        upgrade.check(head);
        switchProtocols(upgrade, head);
      } else {
        refuseOdd(head);
        writeHead(head, hasBody);
      }
    } catch (WireException e) {
      failed(new WireException("it answered with " + e.reason()));
    }
  }

  private static void refuseOdd(ReplyHead head) throws WireException {
    int status = head.status();
    if (status >= 300 && status < 400 && status != NOT_MODIFIED) {
      throw new WireException("a redirect");
    }
    if (status == UNAUTHORIZED) {
      throw new WireException("a refusal of the relay's token");
    }
  }

  private void writeHead(ReplyHead head, boolean hasBody) {
    response.setStatusCode(head.status());
    ReplyHeaders.secure(response);
    ReplyHeaders.pass(head, response);
    String length = head.first("content-length");
    if (length != null) {
      response.putHeader(HttpHeaders.CONTENT_LENGTH, length);
    } else if (hasBody) {
      response.setChunked(true);
    }
    if (!requestEnded) {
      response.putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
  }

  @Override
  public void body(Buffer part, boolean last) {
    if (over) {
      return;
    }
    metrics.down(part.length());
    if (last) {
      response.end(part);
      return;
    }
    response.write(part);
    Exchange from = exchange;
    if (from != null && response.writeQueueFull()) {
      from.pause();
      response.drainHandler(drained -> from.resume());
    }
  }

  @Override
  public void end() {
    if (over) {
      return;
    }
    if (!response.ended()) {
      response.end();
    }
    finish(response.getStatusCode());
    if (!requestEnded) {
      if (exchange != null) {
        exchange.abort();
      }
      LateBody.discard(request, context.vertx());
    }
  }

  /** Also when no connection could be made. */
  @Override
  public void failed(WireException cause) {
    if (over) {
      return;
    }
    LOG.warnf(
        "relay failed request_id=%s sandbox=sb_%s generation=%d: %s",
        RequestId.of(context), target.sandboxId(), target.generation(), cause.reason());
    giveUp("sandbox sb_" + target.sandboxId() + " can not be reached: " + cause.reason());
  }

  private void giveUp(String detail) {
    finish(ErrorCode.SANDBOX_UNREACHABLE.status());
    if (exchange != null) {
      exchange.abort();
    }
    if (response.headWritten()) {
      response.reset();
      return;
    }
    response.headers().remove(HttpHeaders.CONTENT_LENGTH);
    response.setChunked(false);
    Answers.problem(context, Problem.of(ErrorCode.SANDBOX_UNREACHABLE, detail));
  }

  private void switchProtocols(Upgrade wish, ReplyHead head) {
    Exchange from = exchange;
    if (from == null) {
      return;
    }
    Exchange.Tunnel tunnel = from.detach();
    wish.answer(head, response);
    request
        .toNetSocket()
        .onSuccess(
            client -> {
              metrics.webSocketOpened();
              splice =
                  new Splice(
                      client, tunnel.socket(), tunnel.first(), metrics, () -> finish(SWITCHING));
            })
        .onFailure(
            failure -> {
              tunnel.socket().close();
              finish(SWITCHING);
            });
  }

  private void clientGone() {
    if (over || splice != null) {
      return;
    }
    finish(CLIENT_GONE);
    if (exchange != null) {
      exchange.abort();
    }
  }

  private void cutNow() {
    if (splice != null) {
      splice.cut();
    } else if (!over) {
      giveUp("sandbox sb_" + target.sandboxId() + " has ended, or access to it was withdrawn");
    }
  }

  private void finish(int status) {
    if (!over) {
      over = true;
      streams.remove(this);
      metrics.replied(status);
    }
  }
}
