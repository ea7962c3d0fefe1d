package dev.sandboxer.platform.dataplane;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;

/** Where a request comes from. */
final class Caller {

  private Caller() {}

  static String address(HttpServerRequest request) {
    SocketAddress remote = request.remoteAddress();
    String host = remote == null ? null : remote.hostAddress();
    return host == null ? "local" : host;
  }
}
