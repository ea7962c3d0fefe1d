package dev.sandboxer.platform.connection;

import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;

/**
 * Stands before every route: a reply to a request whose body was not read to its end closes the
 * connection, and the rest of the body is thrown away within bounds, whoever replied.
 */
@ApplicationScoped
public class RequestBounds {

  private static final int FIRST = -1_200;

  private final Connections others = new Connections(ConnectionLimits.usual().withLargeReads());

  /**
   * Puts it before all other routes.
   *
   * @param router of the platform
   */
  public void mount(@Observes Router router) {
    router.route().order(FIRST).handler(this::begin);
  }

  /**
   * Whether a request has a body.
   *
   * @param request of a client
   * @return also when it has arrived already
   */
  public static boolean hasBody(HttpServerRequest request) {
    String length = request.getHeader(HttpHeaders.CONTENT_LENGTH);
    return request.headers().contains(HttpHeaders.TRANSFER_ENCODING)
        || (length != null && !"0".equals(length));
  }

  private void begin(RoutingContext context) {
    HttpServerRequest request = context.request();
    ClientConnection connection = ClientConnection.of(request.connection(), others);
    boolean body = hasBody(request);
    int number = connection.begin();
    if (body) {
      var _ = context.addHeadersEndHandler(headers -> announce(connection, request));
    }
    var _ =
        context.addEndHandler(done -> connection.end(number, body && unread(connection, request)));
    context.next();
  }

  private static void announce(ClientConnection connection, HttpServerRequest request) {
    if (unread(connection, request)) {
      request.response().putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE);
    }
  }

  /** A request that is read part by part and paused in between never says that it has ended. */
  private static boolean unread(ClientConnection connection, HttpServerRequest request) {
    return !connection.wasRead() && !request.isEnded();
  }
}
