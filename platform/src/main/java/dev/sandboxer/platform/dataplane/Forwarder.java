package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.DataplaneRoute.Kind;
import dev.sandboxer.platform.dataplane.wire.RequestHead;
import dev.sandboxer.platform.dataplane.wire.WireException;
import io.vertx.core.http.HttpServerRequest;
import org.jspecify.annotations.Nullable;

/** Sends what was let in on to boxd, with a token of the relay's own. */
final class Forwarder {

  private final Upstream upstream;
  private final StreamServices keeping;

  Forwarder(Upstream upstream, StreamServices keeping) {
    this.upstream = upstream;
    this.keeping = keeping;
  }

  /**
   * Begins on the event loop of the client's connection; from then on the request is answered.
   *
   * @throws WireException if what the client sent cannot be a request's head; nothing was answered
   */
  void begin(
      RelayRequest call,
      DataplaneRoute route,
      @Nullable Upgrade upgrade,
      Admission.Outcome.Admitted admitted)
      throws WireException {
    ReplyRule rule = route.kind() == Kind.PORT ? ReplyHeaders.PORT : ReplyHeaders.BOXD;
    Upgrade wanted = route.kind() == Kind.PLAIN ? null : upgrade;
    RelaySpan hop = RelaySpan.to(call.context(), admitted.target(), route);
    AdmittedRequest passage =
        new AdmittedRequest(admitted, route.capability(), wanted, rule, hop.span());
    RequestHead head;
    try {
      head = head(call, route, passage, hop);
    } catch (WireException e) {
      hop.span().close();
      throw e;
    }
    Forward.begin(call.context(), passage, head, upstream, keeping);
  }

  private RequestHead head(
      RelayRequest call, DataplaneRoute route, AdmittedRequest passage, RelaySpan hop)
      throws WireException {
    HttpServerRequest request = call.request();
    RequestHead head =
        upstream.head(
            request.method().name(),
            call.path().uri(),
            passage.admitted().target(),
            route.shown(),
            call.requestId());
    hop.tell(head);
    if (passage.upgrade() != null) {
      passage.upgrade().ask(head);
    } else {
      RequestHeaders.pass(request, head);
      RequestHeaders.frame(request, head);
    }
    return head;
  }
}
