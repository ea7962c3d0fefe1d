package dev.sandboxer.platform.connection;

import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;

/** Where a request comes from. */
public final class ClientAddress {

  private ClientAddress() {}

  /**
   * The client's address.
   *
   * @param request of the client
   * @return without the port; {@code local} where there is none
   */
  public static String of(HttpServerRequest request) {
    SocketAddress remote = request.remoteAddress();
    String host = remote == null ? null : remote.hostAddress();
    return host == null ? "local" : host;
  }
}
