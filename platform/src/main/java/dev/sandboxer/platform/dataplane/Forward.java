package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.Exchange;
import dev.sandboxer.platform.dataplane.wire.ReplyHandler;
import dev.sandboxer.platform.dataplane.wire.ReplyHead;
import dev.sandboxer.platform.dataplane.wire.RequestHead;
import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.dataplane.ws.ClientFrames;
import dev.sandboxer.platform.dataplane.ws.ServerFrames;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.RequestId;
import dev.sandboxer.platform.token.TokenClaims;
import dev.sandboxer.platform.trace.RequestTracing;
import io.vertx.core.Context;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.net.NetSocket;
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
  private static final int CLIENT_GONE = 499;
  private static final int MAX_REFUSAL_BYTES = 256 << 10;

  private final RoutingContext context;
  private final HttpServerRequest request;
  private final HttpServerResponse response;
  private final Context loop;
  private final ClientLine line;
  private final AdmittedRequest passage;
  private final @Nullable Upgrade upgrade;
  private final StreamServices keeping;
  private final Traffic traffic;
  private final RequestFlow flow;
  private @Nullable Exchange exchange;
  private @Nullable WebSocketBridge bridge;
  private volatile @Nullable Renewal renewal;
  private long said;
  private boolean over;

  Forward(RoutingContext context, AdmittedRequest passage, StreamServices keeping) {
    this.context = context;
    this.request = context.request();
    this.response = request.response();
    this.loop = context.vertx().getOrCreateContext();
    this.line = new ClientLine(request.connection());
    this.passage = passage;
    this.upgrade = passage.upgrade();
    this.keeping = keeping;
    this.traffic = keeping.traffic(passage.admitted().target());
    this.flow = new RequestFlow(request, traffic);
    response.exceptionHandler(failure -> clientGone());
    response.closeHandler(gone -> clientGone());
  }

  /** Registers a forward and sends it on its way, or says why not. */
  static void begin(
      RoutingContext context,
      AdmittedRequest passage,
      RequestHead head,
      Upstream upstream,
      StreamServices keeping) {
    Target target = passage.admitted().target();
    Forward forward = new Forward(context, passage, keeping);
    if (!keeping.streams().add(forward)) {
      passage.hop().close();
      keeping.metrics().replied(ErrorCode.RATE_LIMITED.status());
      Answers.problem(context, Problem.of(ErrorCode.RATE_LIMITED, "too many open requests here"));
    } else if (keeping.ended(passage.admitted())) {
      // It ended between the look-up and the registration: nobody else would cut this one.
      forward.cut();
    } else {
      upstream.begin(target, head, forward, forward::opened, forward::failed);
    }
  }

  @Override
  public Target target() {
    return passage.admitted().target();
  }

  @Override
  public TokenClaims claims() {
    Renewal renewed = renewal;
    return renewed == null ? passage.admitted().claims() : renewed.claims();
  }

  @Override
  public void cut() {
    loop.runOnContext(on -> cutNow());
  }

  @Override
  public void restart() {
    loop.runOnContext(
        on -> {
          if (bridge != null) {
            bridge.restart();
          }
        });
  }

  @Override
  public void watch() {
    loop.runOnContext(on -> watchNow());
  }

  /** The connection to boxd is there: the request may flow. */
  void opened(Exchange opened) {
    if (over) {
      opened.abort();
      return;
    }
    exchange = opened;
    if (upgrade != null) {
      flow.end(opened);
      return;
    }
    request.exceptionHandler(failure -> clientGone());
    flow.begin(opened);
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
        passage.rule().check(head);
        writeHead(head, hasBody);
      }
    } catch (WireException e) {
      failed(new WireException("it answered with " + e.reason()));
    }
  }

  private void writeHead(ReplyHead head, boolean hasBody) {
    response.setStatusCode(head.status());
    passage.rule().write(head, response);
    String length = head.first("content-length");
    if (length != null) {
      response.putHeader(HttpHeaders.CONTENT_LENGTH, length);
    } else if (hasBody) {
      response.setChunked(true);
    }
  }

  @Override
  public void body(Buffer part, boolean last) {
    if (over) {
      return;
    }
    traffic.down(part.length());
    said += part.length();
    if (upgrade != null && said > MAX_REFUSAL_BYTES) {
      // Clients read the refusal of a WebSocket whole, into memory.
      failed(new WireException("an endless refusal of a WebSocket"));
      return;
    }
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
    if (!flow.ended() && exchange != null) {
      exchange.abort();
    }
  }

  /** Also when no connection could be made. */
  @Override
  public void failed(WireException cause) {
    if (over) {
      return;
    }
    LOG.warnf(
        "relay failed request_id=%s sandbox=%s generation=%d: %s",
        RequestId.of(context), target().sandboxId(), target().generation(), cause.reason());
    giveUp(unreachable("cannot be reached: " + cause.reason()));
  }

  private Problem unreachable(String what) {
    return Problem.of(
        ErrorCode.SANDBOX_UNREACHABLE, "sandbox " + target().sandboxId() + " " + what);
  }

  private void giveUp(Problem problem) {
    finish(problem.status());
    if (exchange != null) {
      exchange.abort();
    }
    if (response.headWritten()) {
      line.drop();
      return;
    }
    response.headers().remove(HttpHeaders.CONTENT_LENGTH);
    response.setChunked(false);
    Answers.problem(context, problem);
  }

  private void switchProtocols(Upgrade wish, ReplyHead head) {
    Exchange from = exchange;
    if (from == null) {
      return;
    }
    Exchange.Tunnel tunnel = from.detach();
    wish.answer(wish.agreed(head), response);
    request
        .toNetSocket()
        .onSuccess(client -> join(wish, client, tunnel))
        .onFailure(
            failure -> {
              tunnel.stream().close();
              finish(SWITCHING);
            });
  }

  private void join(Upgrade wish, NetSocket client, Exchange.Tunnel tunnel) {
    client.pause();
    Renewal further = keeping.renewal(context, passage, this::say);
    WebSocketBridge joined =
        new WebSocketBridge(
            context.vertx(),
            keeping.timeouts(),
            line,
            client,
            tunnel.stream(),
            traffic,
            wish.frames() ? further : text -> false,
            new ServerFrames(
                wish.frames() ? ServerFrames.BOXD_MESSAGE : ServerFrames.PROGRAM_MESSAGE),
            target().transport() instanceof Transport.Peer,
            () -> finish(SWITCHING));
    renewal = further;
    bridge = joined;
    keeping.metrics().webSocketOpened();
    int limit = wish.frames() ? WebSocketBridge.MAX_AUTH_BYTES : 0;
    joined.start(tunnel.first(), new ClientFrames(limit, joined));
    if (over) {
      joined.cut();
    }
  }

  private void say(Buffer frame) {
    if (bridge != null) {
      bridge.say(frame);
    }
  }

  private void clientGone() {
    if (over || bridge != null) {
      return;
    }
    finish(CLIENT_GONE);
    if (exchange != null) {
      exchange.abort();
    }
  }

  private void cutNow() {
    if (bridge != null) {
      bridge.cut();
    } else if (!over) {
      giveUp(unreachable("has ended, or access to it was withdrawn"));
    }
  }

  private void watchNow() {
    if (bridge != null) {
      bridge.watch();
    } else if (!over) {
      line.keep();
      traffic.report();
      if (flow.stands(keeping.timeouts().body())) {
        giveUp(
            Problem.of(
                ErrorCode.REQUEST_TIMEOUT,
                "nothing of the request's body came for "
                    + keeping.timeouts().body().toSeconds()
                    + " s; send it again"));
      }
    }
  }

  private void finish(int status) {
    if (!over) {
      over = true;
      if (bridge == null) {
        line.release();
      }
      traffic.report();
      keeping.streams().remove(this);
      keeping.metrics().replied(status);
      passage.hop().set("http.response.status_code", status).close();
      RequestTracing.ended(context, status);
    }
  }
}
