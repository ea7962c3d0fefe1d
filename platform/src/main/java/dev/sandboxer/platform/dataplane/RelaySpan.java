package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.RequestHead;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.trace.RequestTracing;
import dev.sandboxer.platform.trace.Span;
import io.vertx.ext.web.RoutingContext;

/**
 * The relay's call of boxd, as the trace of the request shows it.
 *
 * @param span of the call
 */
record RelaySpan(Span span) {

  static RelaySpan to(RoutingContext context, Target target, DataplaneRoute route) {
    return begin(context, target, "/dp/{sandbox}" + route.template());
  }

  /** What listens on a port gets the client's own headers, and none of the relay's. */
  static RelaySpan toPort(RoutingContext context, Target target) {
    return begin(context, target, "port");
  }

  private static RelaySpan begin(RoutingContext context, Target target, String route) {
    Span request = RequestTracing.of(context);
    if (!request.traced()) {
      return new RelaySpan(Span.NONE);
    }
    String sandbox = target.sandboxId().publicId();
    request.set("http.route", route).set("sandboxer.sandbox.id", sandbox);
    // Only methods of the route come this far.
    request.rename(context.request().method().name() + " " + route);
    return new RelaySpan(request.calls("relay").set("sandboxer.sandbox.id", sandbox));
  }

  /** Lets boxd name the trace. */
  void tell(RequestHead head) throws WireException {
    String header = span.header();
    if (header != null) {
      head.header("traceparent", header);
    }
  }
}
