package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.RequestId;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerResponse;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;

/** The relay's own replies. */
final class Answers {

  private static final CharSequence CHALLENGE =
      HttpHeaders.createOptimized("Bearer error=\"invalid_token\"");
  private static final String UNAUTHENTICATED =
      "the dataplane needs a valid token of this sandbox: Authorization: Bearer <token>, from GET"
          + " /v1/sandboxes/{id}/access";

  private Answers() {}

  /** The one answer to every bad token, and to every sandbox that is not there. */
  static void unauthenticated(RoutingContext context) {
    context.request().response().putHeader("WWW-Authenticate", CHALLENGE);
    problem(context, Problem.of(ErrorCode.UNAUTHENTICATED, UNAUTHENTICATED));
  }

  static void json(RoutingContext context, int status, JsonObject body) {
    HttpServerResponse response = context.request().response();
    if (!response.ended() && !response.closed()) {
      ReplyHeaders.secure(response);
      response
          .setStatusCode(status)
          .putHeader(HttpHeaders.CONTENT_TYPE, "application/json")
          .end(body.encode());
    }
  }

  static void problem(RoutingContext context, Problem problem) {
    HttpServerResponse response = context.request().response();
    if (response.ended() || response.closed()) {
      return;
    }
    ReplyHeaders.secure(response);
    response
        .setStatusCode(problem.status())
        .putHeader(HttpHeaders.CONTENT_TYPE, Problem.MEDIA_TYPE)
        .end(problem.json(RequestId.of(context)));
  }
}
