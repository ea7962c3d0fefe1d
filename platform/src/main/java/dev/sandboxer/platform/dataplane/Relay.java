package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.connection.ClientAddress;
import dev.sandboxer.platform.connection.Places;
import dev.sandboxer.platform.dataplane.Admission.Outcome;
import dev.sandboxer.platform.dataplane.DataplaneRoute.Kind;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.RequestId;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.token.TokenClaims;
import dev.sandboxer.platform.token.TokenVerifier;
import dev.sandboxer.platform.trace.LogFields;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Serves {@code /dp/{sandbox}/v1/...}: checks the client's credential, finds the sandbox, checks
 * route and capability, in this order, then forwards with a token of its own.
 */
final class Relay implements Handler<RoutingContext> {

  private static final Logger LOG = Logger.getLogger(Relay.class);
  private static final int MAX_WAITING = 512;
  private static final int MAX_WAITING_OF_ADDRESS = 64;

  private final TokenVerifier limits;
  private final Tickets tickets;
  private final TicketDesk desk;
  private final Upstream upstream;
  private final Forwarder forwarder;
  private final StreamServices keeping;
  private final HostRule hosts;
  private final Places waiting = new Places(MAX_WAITING, MAX_WAITING_OF_ADDRESS);

  Relay(
      TokenVerifier limits,
      Tickets tickets,
      TicketDesk desk,
      Upstream upstream,
      StreamServices keeping,
      HostRule hosts) {
    this.limits = limits;
    this.tickets = tickets;
    this.desk = desk;
    this.upstream = upstream;
    this.forwarder = new Forwarder(upstream, keeping);
    this.keeping = keeping;
    this.hosts = hosts;
  }

  @Override
  public void handle(RoutingContext context) {
    HttpServerRequest request = context.request();
    request.pause();
    RequestId.of(context);
    Optional<RelayPath> path = RelayPath.parse(request.uri());
    if (path.isEmpty()) {
      refused(context, "-", "no such path");
      return;
    }
    LogFields.sandbox(path.get().sandboxId());
    RelayRequest call = new RelayRequest(context, path.get());
    Optional<DataplaneRoute> route = DataplaneRoute.find(path.get().path());
    Optional<Upgrade> upgrade =
        route.flatMap(found -> Upgrade.of(request, found.kind() == Kind.FRAMES));
    switch (Credential.of(request, upgrade)) {
      case Credential.Bearer bearer ->
          keeping
              .admission()
              .token(
                  bearer.token(),
                  path.get().sandboxId(),
                  call.address(),
                  outcome -> decided(call, route, upgrade, outcome));
      case Credential.Ticket ticket -> redeem(call, route, upgrade, ticket.value());
      case Credential.FirstFrame first ->
          firstFrame(call, route.orElseThrow(), upgrade.orElseThrow());
    }
  }

  private void firstFrame(RelayRequest call, DataplaneRoute route, Upgrade upgrade) {
    if (!hosts.originAllowed(call.request())) {
      deny(call, foreign());
    } else if (!waiting.take(call.address())) {
      deny(call, Problem.of(ErrorCode.RATE_LIMITED, "too many WebSockets wait for their token"));
    } else {
      new FirstFrame(call, route, upgrade, upstream, keeping, waiting).begin();
    }
  }

  private void redeem(
      RelayRequest call, Optional<DataplaneRoute> route, Optional<Upgrade> upgrade, String value) {
    int wait = limits.waitSeconds(call.address());
    if (wait > 0) {
      tooMany(call, wait);
      return;
    }
    String origin = call.request().getHeader(HttpHeaders.ORIGIN);
    SandboxId sandbox = call.path().sandboxId();
    call.context()
        .vertx()
        .executeBlocking(() -> tickets.redeem(value), false)
        .map(found -> found.filter(t -> t.fits(sandbox, call.path().path(), origin)))
        .onSuccess(ticket -> redeemed(call, route, upgrade, ticket))
        .onFailure(failure -> ticketsFailed(call, failure));
  }

  private void redeemed(
      RelayRequest call,
      Optional<DataplaneRoute> route,
      Optional<Upgrade> upgrade,
      Optional<Ticket> ticket) {
    if (ticket.isEmpty()) {
      limits.failed(call.address());
      refuse(call, route, "a ticket that is not good here", null);
    } else {
      keeping
          .admission()
          .claims(ticket.get().claims(), outcome -> decided(call, route, upgrade, outcome));
    }
  }

  private void ticketsFailed(RelayRequest call, Throwable failure) {
    LOG.errorf(failure, "a ticket could not be looked up request_id=%s", call.requestId());
    deny(call, unavailable());
  }

  private void decided(
      RelayRequest call,
      Optional<DataplaneRoute> route,
      Optional<Upgrade> upgrade,
      Outcome outcome) {
    switch (outcome) {
      case Outcome.Admitted admitted -> admitted(call, route, upgrade, admitted);
      case Outcome.Refused refused -> refuse(call, route, refused.reason(), refused.claims());
      case Outcome.TooMany many -> tooMany(call, many.retryAfterSeconds());
      case Outcome.Unavailable down -> deny(call, unavailable());
    }
  }

  private void admitted(
      RelayRequest call,
      Optional<DataplaneRoute> route,
      Optional<Upgrade> upgrade,
      Outcome.Admitted admitted) {
    keeping.targets().used(admitted.target());
    Problem problem = objection(call.request(), route, admitted.claims());
    if (problem != null || route.isEmpty()) {
      deny(call, route, problem == null ? notFound() : problem, admitted.claims());
    } else if (route.get().kind() == Kind.TICKETS) {
      desk.serve(call.context(), admitted);
    } else if (route.get().kind() == Kind.FRAMES && upgrade.isEmpty()) {
      deny(call, notAWebSocket());
    } else {
      forward(call, route.get(), upgrade.orElse(null), admitted);
    }
  }

  private @Nullable Problem objection(
      HttpServerRequest request, Optional<DataplaneRoute> found, TokenClaims claims) {
    if (found.isEmpty()) {
      return notFound();
    }
    DataplaneRoute route = found.get();
    String method = request.method().name();
    if (!route.methods().contains(method)) {
      request.response().putHeader(HttpHeaders.ALLOW, String.join(", ", route.methods()));
      return Problem.of(
          ErrorCode.METHOD_NOT_ALLOWED,
          method + " is not taken here; use " + String.join(" or ", route.methods()));
    }
    Capability capability = route.capability();
    if (capability != null && !claims.capabilities().contains(capability)) {
      String name = capability.wireName();
      return Problem.of(ErrorCode.CAPABILITY_DENIED, "the token lacks the capability " + name)
          .with("capability", name);
    }
    return hosts.originAllowed(request) ? null : foreign();
  }

  private void forward(
      RelayRequest call,
      DataplaneRoute route,
      @Nullable Upgrade upgrade,
      Outcome.Admitted admitted) {
    try {
      forwarder.begin(call, route, upgrade, admitted);
      keeping.audit().used(call.context(), admitted, route.capability());
    } catch (WireException e) {
      deny(call, Problem.of(ErrorCode.VALIDATION, "the request has " + e.reason()));
    }
  }

  private static Problem notFound() {
    return Problem.of(ErrorCode.NOT_FOUND, "the dataplane has no such route");
  }

  private static Problem unavailable() {
    return Problem.of(
        ErrorCode.DATABASE_UNAVAILABLE, "the sandbox could not be looked up; try again");
  }

  private static Problem foreign() {
    return Problem.of(
        ErrorCode.FORBIDDEN,
        "pages of another origin may not call the dataplane; call it from a program, from"
            + " SANDBOXER_PUBLIC_URL, or from an origin in SANDBOXER_CORS_ORIGINS");
  }

  private static Problem notAWebSocket() {
    return Problem.of(
        ErrorCode.VALIDATION,
        "this route is a WebSocket: send Connection: Upgrade, Upgrade: websocket,"
            + " Sec-WebSocket-Version: 13 and a Sec-WebSocket-Key");
  }

  private void refuse(
      RelayRequest call,
      Optional<DataplaneRoute> route,
      String reason,
      @Nullable TokenClaims claims) {
    audit(call, route, ErrorCode.UNAUTHENTICATED, claims);
    refused(call.context(), call.path().sandboxId().publicId(), reason);
  }

  private void audit(
      RelayRequest call,
      Optional<DataplaneRoute> route,
      ErrorCode code,
      @Nullable TokenClaims claims) {
    Capability capability = route.isEmpty() ? null : route.get().capability();
    keeping
        .audit()
        .refused(
            call.context(),
            new RelayAudit.Refused(call.path().sandboxId(), capability, code, claims));
  }

  private void refused(RoutingContext context, String sandbox, String reason) {
    LOG.infof(
        "relay refused request_id=%s sandbox=%s address=%s: %s",
        RequestId.of(context), sandbox, ClientAddress.of(context.request()), reason);
    keeping.metrics().replied(ErrorCode.UNAUTHENTICATED.status());
    Answers.unauthenticated(context);
  }

  private void tooMany(RelayRequest call, int seconds) {
    audit(call, Optional.empty(), ErrorCode.RATE_LIMITED, null);
    keeping.metrics().replied(ErrorCode.RATE_LIMITED.status());
    call.request().response().putHeader("Retry-After", Integer.toString(seconds));
    Answers.problem(
        call.context(),
        Problem.of(
            ErrorCode.RATE_LIMITED,
            "too many bad credentials came from this address; try again in " + seconds + " s"));
  }

  private void deny(RelayRequest call, Problem problem) {
    deny(call, Optional.empty(), problem, null);
  }

  private void deny(
      RelayRequest call,
      Optional<DataplaneRoute> route,
      Problem problem,
      @Nullable TokenClaims claims) {
    audit(call, route, problem.code(), claims);
    LOG.infof(
        "relay denied request_id=%s sandbox=%s code=%s",
        call.requestId(), call.path().sandboxId(), problem.code());
    keeping.metrics().replied(problem.status());
    Answers.problem(call.context(), problem);
  }
}
