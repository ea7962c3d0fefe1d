package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.connection.ClientAddress;
import dev.sandboxer.platform.problem.RequestId;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;

/**
 * A request to a sandbox's dataplane whose path is well formed.
 *
 * @param context of the request
 * @param path that was asked for
 */
record RelayRequest(RoutingContext context, RelayPath path) {

  HttpServerRequest request() {
    return context.request();
  }

  String requestId() {
    return RequestId.of(context);
  }

  String address() {
    return ClientAddress.of(request());
  }
}
