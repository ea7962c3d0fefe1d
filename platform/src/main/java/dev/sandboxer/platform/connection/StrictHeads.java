package dev.sandboxer.platform.connection;

import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.RequestId;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.util.List;
import java.util.Optional;

/**
 * Refuses requests of HTTP/1 whose head another reader, such as a proxy in front, could take for
 * something else (RFC 9112, 3.2 and 6.1), and closes their connections: what follows on them may be
 * the body that was not understood.
 */
@ApplicationScoped
class StrictHeads {

  private static final int BEFORE_ALL = -1_300;

  /**
   * Puts it before all other routes.
   *
   * @param router of the platform
   */
  void mount(@Observes Router router) {
    router.route().order(BEFORE_ALL).handler(StrictHeads::check);
  }

  private static void check(RoutingContext context) {
    HttpServerRequest request = context.request();
    Optional<String> objection =
        request.version() == HttpVersion.HTTP_2 ? Optional.empty() : objection(request);
    if (objection.isEmpty()) {
      context.next();
      return;
    }
    Problem problem = Problem.of(ErrorCode.VALIDATION, objection.get());
    Buffer body = Buffer.buffer(problem.json(RequestId.of(context)));
    // Written and never ended: at the end of a reply the next request of the connection begins.
    request
        .response()
        .setStatusCode(problem.status())
        .putHeader(HttpHeaders.CONTENT_TYPE, Problem.MEDIA_TYPE)
        .putHeader(HttpHeaders.CONTENT_LENGTH, Integer.toString(body.length()))
        .putHeader(HttpHeaders.CONNECTION, HttpHeaders.CLOSE)
        .write(body)
        .onComplete(_ -> request.connection().close());
  }

  private static Optional<String> objection(HttpServerRequest request) {
    if (request.headers().getAll(HttpHeaders.HOST).size() > 1) {
      return Optional.of("the request has more than one Host header");
    }
    List<String> codings = request.headers().getAll(HttpHeaders.TRANSFER_ENCODING);
    return codings.isEmpty()
            || (codings.size() == 1 && codings.getFirst().equalsIgnoreCase("chunked"))
        ? Optional.empty()
        : Optional.of(
            "Transfer-Encoding is '%s'; only 'chunked' is understood here"
                .formatted(String.join(", ", codings)));
  }
}
