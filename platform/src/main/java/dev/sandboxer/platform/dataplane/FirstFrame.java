package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.connection.Places;
import dev.sandboxer.platform.dataplane.Admission.Outcome;
import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.FirstFrameRefusals.Refused;
import dev.sandboxer.platform.dataplane.wire.Exchange;
import dev.sandboxer.platform.dataplane.wire.ReplyHandler;
import dev.sandboxer.platform.dataplane.wire.ReplyHead;
import dev.sandboxer.platform.dataplane.wire.RequestHead;
import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.dataplane.ws.ClientFrames;
import dev.sandboxer.platform.dataplane.ws.Opcode;
import dev.sandboxer.platform.dataplane.ws.ServerFrames;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenClaims;
import dev.sandboxer.platform.trace.RequestTracing;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.net.NetSocket;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A WebSocket that brings its token as its first frame. The relay answers the handshake itself and
 * opens nothing to boxd before the token was checked. Lives on the event loop of the client's
 * connection.
 */
final class FirstFrame implements ClientFrames.Sink, ReplyHandler, OpenStreams.OpenStream {

  private static final int MAX_REFUSAL_BYTES = 64 * 1024;
  private static final int SWITCHING = 101;

  private final RelayRequest call;
  private final DataplaneRoute route;
  private final Upgrade upgrade;
  private final Upstream upstream;
  private final StreamServices keeping;
  private final FirstFrameWait wait;
  private final FirstFrameRefusals refusals;
  private final Context loop;
  private final ClientLine line;
  private final ClientFrames frames = new ClientFrames(WebSocketBridge.MAX_AUTH_BYTES, this);
  private final Buffer early = Buffer.buffer();
  private final Buffer refusal = Buffer.buffer();
  private @Nullable NetSocket client;
  private @Nullable AdmittedRequest passage;
  private @Nullable Traffic traffic;
  private @Nullable Exchange exchange;
  private @Nullable WebSocketBridge bridge;
  private volatile @Nullable Renewal renewal;
  private boolean authSeen;
  private boolean over;

  /**
   * Makes one; {@link #begin} answers the handshake.
   *
   * @param waiting where the caller took a place, to be freed once the token came
   */
  FirstFrame(
      RelayRequest call,
      DataplaneRoute route,
      Upgrade upgrade,
      Upstream upstream,
      StreamServices keeping,
      Places waiting) {
    this.call = call;
    this.route = route;
    this.upgrade = upgrade;
    this.upstream = upstream;
    this.keeping = keeping;
    this.wait =
        new FirstFrameWait(vertx(), keeping.timeouts().auth(), () -> waiting.free(call.address()));
    this.refusals = new FirstFrameRefusals(call, route.capability(), keeping.audit());
    this.loop = vertx().getOrCreateContext();
    this.line = new ClientLine(call.request().connection());
  }

  void begin() {
    upgrade.answer(upgrade.chosen(), call.request().response());
    call.request().toNetSocket().onSuccess(this::opened).onFailure(failure -> wait.end());
  }

  private void opened(NetSocket socket) {
    client = socket;
    line.takenOver();
    wait.limit(() -> refuse(refusals.late(keeping.timeouts().auth())));
    socket.exceptionHandler(failure -> gone());
    socket.endHandler(ended -> gone());
    socket.handler(this::said);
    socket.resume();
  }

  private void said(Buffer data) {
    if (over) {
      return;
    }
    try {
      frames.feed(data);
    } catch (WireException e) {
      end(FirstFrameRefusals.POLICY, e.reason());
    }
  }

  @Override
  public void text(Buffer raw, Buffer text) {
    if (authSeen || over) {
      early.appendBuffer(raw);
      return;
    }
    authSeen = true;
    wait.end();
    client().pause();
    AuthFrame frame = AuthFrame.read(text);
    keeping.admission().token(frame.token(), sandboxId(), call.address(), this::decided);
  }

  @Override
  public void control(int opcode, Buffer raw, Buffer payload) {
    if (authSeen) {
      early.appendBuffer(raw);
    } else if (opcode == Opcode.PING) {
      client().write(ServerFrames.control(Opcode.PONG, payload));
    } else if (opcode == Opcode.CLOSE) {
      end(1000, "");
    }
  }

  @Override
  public void pass(Buffer raw) {
    if (authSeen || over) {
      early.appendBuffer(raw);
    } else {
      refuse(refusals.noText());
    }
  }

  private void decided(Outcome outcome) {
    if (over) {
      return;
    }
    switch (outcome) {
      case Outcome.Admitted admitted -> admitted(admitted);
      case Outcome.Refused bad -> refuse(refusals.badToken(bad.reason(), bad.claims()));
      case Outcome.TooMany many -> refuse(refusals.tooManyTries(many.retryAfterSeconds()));
      case Outcome.Unavailable down -> refuse(refusals.notNow());
    }
  }

  private void admitted(Outcome.Admitted admitted) {
    Capability needed = route.capability();
    keeping.targets().used(admitted.target());
    if (needed != null && !admitted.claims().capabilities().contains(needed)) {
      refuse(refusals.lacks(needed, admitted.claims()));
      return;
    }
    RelaySpan hop = RelaySpan.to(call.context(), admitted.target(), route);
    AdmittedRequest decided =
        new AdmittedRequest(admitted, needed, upgrade, ReplyHeaders.BOXD, hop.span());
    passage = decided;
    traffic = keeping.traffic(admitted.target());
    renewal = keeping.renewal(call.context(), decided, this::say);
    if (!keeping.streams().add(this)) {
      refuse(refusals.tooManyStreams());
      return;
    }
    if (keeping.ended(admitted)) {
      // It ended between the look-up and the registration: nobody else would cut this one.
      refuse(refusals.badToken("it ended meanwhile", admitted.claims()));
      return;
    }
    keeping.audit().used(call.context(), admitted, route.capability());
    client().write(AuthFrame.ok(admitted.claims().capabilities()));
    connect(decided, hop);
  }

  private void connect(AdmittedRequest decided, RelaySpan hop) {
    Target target = decided.admitted().target();
    try {
      RequestHead head =
          upstream.head("GET", call.path().uri(), target, decided.capability(), call.requestId());
      hop.tell(head);
      Upgrade own = new Upgrade(upgrade.key(), chosen(), true);
      own.ask(head);
      upstream.begin(target, head, this, this::connected, this::failed);
    } catch (WireException e) {
      failed(e);
    }
  }

  private List<String> chosen() {
    String protocol = upgrade.chosen();
    return protocol == null ? List.of() : List.of(protocol);
  }

  private void connected(Exchange opened) {
    if (over) {
      opened.abort();
      return;
    }
    exchange = opened;
    opened.endRequest();
  }

  @Override
  public void head(ReplyHead head, boolean hasBody) {
    if (over || head.status() != SWITCHING) {
      return;
    }
    try {
      upgrade.check(head);
      if (!Objects.equals(upgrade.agreed(head), upgrade.chosen())) {
        throw new WireException("another subprotocol");
      }
    } catch (WireException e) {
      failed(new WireException("it answered with " + e.reason()));
      return;
    }
    join(Objects.requireNonNull(exchange).detach());
  }

  private void join(Exchange.Tunnel tunnel) {
    WebSocketBridge joined =
        new WebSocketBridge(
            vertx(),
            keeping.timeouts(),
            line,
            client(),
            tunnel.stream(),
            Objects.requireNonNull(traffic),
            Objects.requireNonNull(renewal),
            new ServerFrames(ServerFrames.BOXD_MESSAGE),
            target().transport() instanceof Transport.Peer,
            () -> finish(SWITCHING));
    bridge = joined;
    keeping.metrics().webSocketOpened();
    if (early.length() > 0) {
      tunnel.stream().write(early);
    }
    frames.handTo(joined);
    joined.start(tunnel.first(), frames);
  }

  /** A refusal's body; boxd says why in it. */
  @Override
  public void body(Buffer part, boolean last) {
    if (refusal.length() + part.length() <= MAX_REFUSAL_BYTES) {
      refusal.appendBuffer(part);
    } else {
      failed(new WireException("it refused at length"));
    }
  }

  @Override
  public void end() {
    if (!over && bridge == null) {
      refuse(new Refused(Refusal.read(refusal).frame(), FirstFrameRefusals.INTERNAL));
    }
  }

  @Override
  public void failed(WireException cause) {
    if (!over) {
      refuse(refusals.unreachable(cause.reason()));
    }
  }

  @Override
  public Target target() {
    return Objects.requireNonNull(passage).admitted().target();
  }

  @Override
  public TokenClaims claims() {
    return Objects.requireNonNull(renewal).claims();
  }

  @Override
  public void cut() {
    loop.runOnContext(on -> cutNow());
  }

  private void cutNow() {
    if (bridge != null) {
      bridge.cut();
    } else {
      end(FirstFrameRefusals.POLICY, "access to the sandbox was withdrawn, or it has ended");
    }
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

  private void watchNow() {
    if (bridge != null) {
      bridge.watch();
    }
  }

  private void say(Buffer frame) {
    if (bridge != null) {
      bridge.say(frame);
    }
  }

  private void refuse(Refused last) {
    if (!over) {
      client().write(last.frame());
      end(last.status(), "");
    }
  }

  private void end(int status, String reason) {
    if (!over) {
      client().write(ServerFrames.close(status, reason));
      release();
      line.linger(vertx(), client());
    }
  }

  private void gone() {
    if (!over) {
      release();
      client().close();
    }
  }

  private void release() {
    finish(authSeen ? ErrorCode.UNAUTHENTICATED.status() : SWITCHING);
    if (exchange != null) {
      exchange.abort();
    }
  }

  private void finish(int status) {
    over = true;
    wait.end();
    if (passage != null) {
      keeping.streams().remove(this);
      passage.hop().close();
    }
    RequestTracing.ended(call.context(), status);
    keeping.metrics().replied(status);
  }

  private NetSocket client() {
    return Objects.requireNonNull(client);
  }

  private SandboxId sandboxId() {
    return call.path().sandboxId();
  }

  private Vertx vertx() {
    return call.context().vertx();
  }
}
