package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.connection.ClientAddress;
import dev.sandboxer.platform.dataplane.Admission.Outcome;
import dev.sandboxer.platform.dataplane.wire.RequestHead;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.RequestId;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.PortPasses;
import dev.sandboxer.platform.token.TokenClaims;
import dev.sandboxer.platform.token.TokenVerifier;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Serves {@code p<port>-<id>.<domain>}: a port of a sandbox to a browser that has its cookie. Every
 * other host name goes on to the platform itself.
 */
final class PortRelay implements Handler<RoutingContext> {

  private final PortOrigins origins;
  private final PortDoor door;
  private final PortPasses passes;
  private final TokenVerifier limits;
  private final Admission admission;
  private final Upstream upstream;
  private final StreamServices keeping;

  PortRelay(
      PortOrigins origins,
      PortDoor door,
      PortPasses passes,
      TokenVerifier limits,
      Admission admission,
      Upstream upstream,
      StreamServices keeping) {
    this.origins = origins;
    this.door = door;
    this.passes = passes;
    this.limits = limits;
    this.admission = admission;
    this.upstream = upstream;
    this.keeping = keeping;
  }

  @Override
  public void handle(RoutingContext context) {
    Optional<PortHost> host = origins.named(context.request());
    if (host.isEmpty()) {
      context.next();
      return;
    }
    context.request().pause();
    String uri = context.request().uri();
    if (!uri.startsWith("/") || DataplaneRoute.climbs(uri.split("\\?", 2)[0])) {
      deny(context, Problem.of(ErrorCode.NOT_FOUND, "the path is not one that is served"));
    } else if (uri.startsWith(PortDoor.RESERVED)) {
      door.serve(context, host.get());
    } else {
      authenticate(context, host.get());
    }
  }

  private void authenticate(RoutingContext context, PortHost host) {
    HttpServerRequest request = context.request();
    PortCookie cookie = PortCookie.of(request);
    TokenClaims claims = claims(cookie, host, ClientAddress.of(request));
    if (claims == null) {
      deny(context, host, unauthenticated(), null);
      return;
    }
    Problem problem = objection(request, host);
    if (problem != null) {
      deny(context, host, problem, claims);
      return;
    }
    admission.claims(claims, outcome -> decided(context, host, cookie, outcome));
  }

  private @Nullable TokenClaims claims(PortCookie cookie, PortHost host, String address) {
    for (String pass : cookie.passes()) {
      Optional<TokenClaims> known = passes.known(pass, host.sandboxId(), host.port());
      if (known.isPresent()) {
        return known.get();
      }
      if (limits.waitSeconds(address) == 0) {
        Optional<TokenClaims> checked = passes.check(pass, host.sandboxId(), host.port());
        if (checked.isPresent()) {
          return checked.get();
        }
        limits.failed(address);
      }
    }
    return null;
  }

  /** A page elsewhere may link to a port, but neither call nor embed it. */
  private @Nullable Problem objection(HttpServerRequest request, PortHost host) {
    if (!DataplaneRoute.PORT_METHODS.contains(request.method().name())) {
      request
          .response()
          .putHeader(HttpHeaders.ALLOW, String.join(", ", DataplaneRoute.PORT_METHODS));
      return Problem.of(
          ErrorCode.METHOD_NOT_ALLOWED, request.method().name() + " is not taken by ports");
    }
    String origin = request.getHeader(HttpHeaders.ORIGIN);
    boolean foreign = origin != null && !origin.equals(origins.origin(host, request));
    String site = request.getHeader("Sec-Fetch-Site");
    boolean near = site == null || site.equals("same-origin") || site.equals("none");
    boolean link =
        "navigate".equals(request.getHeader("Sec-Fetch-Mode"))
            && "document".equals(request.getHeader("Sec-Fetch-Dest"))
            && "GET".equals(request.method().name());
    return foreign || !(near || link)
        ? Problem.of(ErrorCode.FORBIDDEN, "pages of another origin may not call this port")
        : null;
  }

  private void decided(RoutingContext context, PortHost host, PortCookie cookie, Outcome outcome) {
    switch (outcome) {
      case Outcome.Admitted admitted -> forward(context, host, cookie, admitted);
      case Outcome.Unavailable down ->
          deny(context, Problem.of(ErrorCode.DATABASE_UNAVAILABLE, "try again in a moment"));
      default -> deny(context, host, unauthenticated(), claims(outcome));
    }
  }

  private void forward(
      RoutingContext context, PortHost host, PortCookie cookie, Outcome.Admitted admitted) {
    HttpServerRequest request = context.request();
    Upgrade upgrade = Upgrade.of(request, false).orElse(null);
    keeping.targets().used(admitted.target());
    ReplyRule rule = new PortReplyHeaders(inside(host));
    RelaySpan hop = RelaySpan.toPort(context, admitted.target());
    AdmittedRequest passage =
        new AdmittedRequest(admitted, Capability.PORT, upgrade, rule, hop.span());
    try {
      Forward.begin(context, passage, head(context, host, cookie, passage), upstream, keeping);
      keeping.audit().used(context, admitted, Capability.PORT);
    } catch (WireException e) {
      hop.span().close();
      deny(context, Problem.of(ErrorCode.VALIDATION, "the request has " + e.reason()));
    }
  }

  private RequestHead head(
      RoutingContext context, PortHost host, PortCookie cookie, AdmittedRequest passage)
      throws WireException {
    HttpServerRequest request = context.request();
    RequestHead head =
        upstream.head(
            request.method().name(),
            "/v1/ports/" + host.port() + request.uri(),
            passage.admitted().target(),
            Capability.PORT,
            RequestId.of(context));
    PortRequestHeaders.pass(request, cookie, origins.origin(host, request), inside(host), head);
    if (passage.upgrade() == null) {
      RequestHeaders.frame(request, head);
    } else {
      passage.upgrade().ask(head);
    }
    return head;
  }

  /** Under this name boxd asks the application. */
  private static String inside(PortHost host) {
    return "http://localhost:" + host.port();
  }

  private static Problem unauthenticated() {
    return Problem.of(
        ErrorCode.UNAUTHENTICATED,
        "a port is opened in a browser by the url of POST {http_base_url}/tickets {\"port\": N}");
  }

  private static @Nullable TokenClaims claims(Outcome outcome) {
    return outcome instanceof Outcome.Refused refused ? refused.claims() : null;
  }

  private void deny(
      RoutingContext context, PortHost host, Problem problem, @Nullable TokenClaims claims) {
    keeping
        .audit()
        .refused(
            context,
            new RelayAudit.Refused(host.sandboxId(), Capability.PORT, problem.code(), claims));
    deny(context, problem);
  }

  private void deny(RoutingContext context, Problem problem) {
    keeping.metrics().replied(problem.status());
    Answers.problem(context, problem);
  }
}
