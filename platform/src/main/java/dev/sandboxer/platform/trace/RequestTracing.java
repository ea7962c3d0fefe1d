package dev.sandboxer.platform.trace;

import dev.sandboxer.platform.problem.RequestId;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.Set;

/** Stands before every route: the request's log lines get its id, its work becomes a trace. */
public final class RequestTracing {

  private static final int FIRST = -1_100;
  private static final int SERVER_ERROR = 500;
  private static final String KEY = RequestTracing.class.getName();

  // What monitors ask every few seconds.
  private static final Set<String> QUIET =
      Set.of(
          "/v1/health",
          "/v1/health/live",
          "/v1/health/ready",
          "/v1/metrics",
          "/q/health",
          "/q/health/live",
          "/q/health/ready",
          "/q/health/started",
          "/q/health/well");

  private static final Set<String> METHODS =
      Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

  private final Tracing tracing;

  /**
   * Makes it.
   *
   * @param tracing begins the spans
   */
  public RequestTracing(Tracing tracing) {
    this.tracing = tracing;
  }

  /**
   * Puts it before all other routes.
   *
   * @param router of the platform
   */
  public void mount(Router router) {
    router.route().order(FIRST).handler(this::begin);
  }

  /**
   * The span of a request.
   *
   * @param context of the request
   * @return none where it is not traced
   */
  public static Span of(RoutingContext context) {
    Span span = context.get(KEY);
    return span == null ? Span.NONE : span;
  }

  /**
   * Ends the span of a request. Only needed where no reply ends it: for WebSockets, and when the
   * client is gone.
   *
   * @param context of the request
   * @param status of the reply
   */
  public static void ended(RoutingContext context, int status) {
    Span span = of(context).set("http.response.status_code", status);
    if (status >= SERVER_ERROR) {
      span.failed(Integer.toString(status));
    }
    span.close();
  }

  private void begin(RoutingContext context) {
    String id = RequestId.of(context);
    LogFields.request(id);
    String asked = context.request().method().name();
    // A name of few possible ones: a client may send any word.
    String method = METHODS.contains(asked) ? asked : "_OTHER";
    if (!QUIET.contains(context.request().path())) {
      Span span =
          tracing
              .serves(method, context.request().getHeader(TraceParent.HEADER))
              .set("http.request.method", method)
              .set("sandboxer.request.id", id);
      if (span.traced()) {
        context.put(KEY, span);
        var _ = context.addEndHandler(done -> ended(context, context.response().getStatusCode()));
      }
    }
    context.next();
  }
}
