package dev.sandboxer.platform.dataplane;

import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.ext.web.RoutingContext;
import java.util.Set;

/**
 * CORS for the origins that the operator lists, on every path of the platform: a browser's question
 * before a call is answered, and pages may read replies. Others get no header, so browsers keep
 * replies from them. Credentials of a browser are never allowed: a page brings its token itself.
 */
final class CrossOrigin implements Handler<RoutingContext> {

  private static final String METHODS = "GET, HEAD, POST, PUT, PATCH, DELETE";
  private static final String ASKED =
      "Accept, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match, If-Range,"
          + " Last-Event-ID, Mcp-Protocol-Version, Mcp-Session-Id, Prefer, Range, X-API-KEY,"
          + " X-Request-Id";
  private static final String READ =
      "Accept-Ranges, Content-Disposition, Content-Range, ETag, Location, Mcp-Session-Id, RateLimit,"
          + " RateLimit-Policy, Retry-After, Sandboxer-Gap, Sandboxer-Offset, X-Request-Id";
  private static final String REMEMBER_SECONDS = "600";
  private static final int NO_CONTENT = 204;

  private final Set<String> origins;

  CrossOrigin(Set<String> origins) {
    this.origins = origins;
  }

  @Override
  public void handle(RoutingContext context) {
    HttpServerRequest request = context.request();
    String origin = request.getHeader(HttpHeaders.ORIGIN);
    if (!origins.isEmpty()) {
      request.response().putHeader(HttpHeaders.VARY, HttpHeaders.ORIGIN);
    }
    if (origin == null || !origins.contains(origin)) {
      context.next();
      return;
    }
    HttpServerResponse response = request.response();
    response.putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_ORIGIN, origin);
    if (asksFirst(request)) {
      response
          .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_METHODS, METHODS)
          .putHeader(HttpHeaders.ACCESS_CONTROL_ALLOW_HEADERS, ASKED)
          .putHeader(HttpHeaders.ACCESS_CONTROL_MAX_AGE, REMEMBER_SECONDS)
          .setStatusCode(NO_CONTENT)
          .end();
    } else {
      response.putHeader(HttpHeaders.ACCESS_CONTROL_EXPOSE_HEADERS, READ);
      context.next();
    }
  }

  private static boolean asksFirst(HttpServerRequest request) {
    return request.method().equals(HttpMethod.OPTIONS)
        && request.headers().contains(HttpHeaders.ACCESS_CONTROL_REQUEST_METHOD);
  }
}
