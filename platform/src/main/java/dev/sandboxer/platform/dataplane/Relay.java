package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.Endpoint;
import dev.sandboxer.platform.dataplane.wire.RequestHead;
import dev.sandboxer.platform.dataplane.wire.UnixHttpClient;
import dev.sandboxer.platform.dataplane.wire.WireException;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.RequestId;
import dev.sandboxer.platform.token.TokenClaims;
import dev.sandboxer.platform.token.TokenMinter;
import dev.sandboxer.platform.token.TokenVerifier;
import dev.sandboxer.platform.token.Verdict;
import dev.sandboxer.spi.DataplaneAddress;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.net.SocketAddress;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Optional;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Serves {@code /dp/{sandbox}/v1/...}: checks the client's token, finds the sandbox, checks route
 * and capability, in this order, then forwards with a token of its own.
 */
final class Relay implements Handler<RoutingContext> {

  private static final Logger LOG = Logger.getLogger(Relay.class);
  private static final String BEARER = "Bearer ";

  private final TokenVerifier verifier;
  private final TokenMinter minter;
  private final DataplaneTargets targets;
  private final UnixHttpClient client;
  private final OpenStreams streams;
  private final RelayMetrics metrics;
  private final HostRule hosts;

  Relay(
      TokenVerifier verifier,
      TokenMinter minter,
      DataplaneTargets targets,
      UnixHttpClient client,
      OpenStreams streams,
      RelayMetrics metrics,
      HostRule hosts) {
    this.verifier = verifier;
    this.minter = minter;
    this.targets = targets;
    this.client = client;
    this.streams = streams;
    this.metrics = metrics;
    this.hosts = hosts;
  }

  @Override
  public void handle(RoutingContext context) {
    HttpServerRequest request = context.request();
    request.pause();
    RequestId.of(context);
    Optional<RelayPath> path = RelayPath.parse(request.uri());
    if (path.isEmpty()) {
      refuse(context, "-", "no such path");
      return;
    }
    String sandboxId = path.get().sandboxId();
    switch (verifier.verify(bearer(request), sandboxId, address(request))) {
      case Verdict.Refused refused -> refuse(context, sandboxId, refused.reason());
      case Verdict.TooMany tooMany -> tooMany(context, tooMany.retryAfterSeconds());
      case Verdict.Accepted accepted -> locate(context, path.get(), accepted.claims());
    }
  }

  private void locate(RoutingContext context, RelayPath path, TokenClaims claims) {
    Optional<Target> known = targets.find(path.sandboxId());
    if (known.isPresent() && known.get().generation() >= claims.generation()) {
      admit(context, path, claims, known);
      return;
    }
    context
        .vertx()
        .executeBlocking(() -> targets.load(path.sandboxId()), false)
        .onSuccess(loaded -> admit(context, path, claims, loaded))
        .onFailure(failure -> loadFailed(context, path, failure));
  }

  private static void loadFailed(RoutingContext context, RelayPath path, Throwable failure) {
    LOG.errorf(
        failure,
        "relay could not load request_id=%s sandbox=sb_%s",
        RequestId.of(context),
        path.sandboxId());
    Answers.problem(
        context,
        Problem.of(
            ErrorCode.DATABASE_UNAVAILABLE, "the sandbox could not be looked up; try again"));
  }

  private void admit(
      RoutingContext context, RelayPath path, TokenClaims claims, Optional<Target> found) {
    if (found.isEmpty()) {
      refuse(context, path.sandboxId(), "no such sandbox, or not ready");
      return;
    }
    Target target = found.get();
    if (targets.stale()) {
      deny(context, path, Problem.of(ErrorCode.DATABASE_UNAVAILABLE, "try again"));
      return;
    }
    if (!claims.countsFor(target.generation(), targets.minEpoch(target, claims.sessionId()))) {
      refuse(context, path.sandboxId(), "another generation, or revoked");
      return;
    }
    targets.used(target);
    Optional<DataplaneRoute> route = DataplaneRoute.find(path.path());
    Problem problem = objection(context.request(), route, claims);
    if (problem != null || route.isEmpty()) {
      deny(context, path, problem == null ? notFound() : problem);
    } else {
      connect(context, path, route.get(), target, claims);
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
    if (route.capability() != null && !claims.capabilities().contains(route.capability())) {
      String name = route.capability().wireName();
      return Problem.of(ErrorCode.CAPABILITY_DENIED, "the token lacks the capability " + name)
          .with("capability", name);
    }
    if (!hosts.originAllowed(request)) {
      return Problem.of(
          ErrorCode.FORBIDDEN,
          "pages of another origin may not call the dataplane; call it from a program, or from"
              + " SANDBOXER_PUBLIC_URL");
    }
    return null;
  }

  private static Problem notFound() {
    return Problem.of(ErrorCode.NOT_FOUND, "the dataplane has no such route");
  }

  private void connect(
      RoutingContext context,
      RelayPath path,
      DataplaneRoute route,
      Target target,
      TokenClaims claims) {
    switch (target.address()) {
      case DataplaneAddress.UnixSocket socket ->
          forward(
              context,
              path,
              route,
              target,
              claims,
              new Endpoint(target.sandboxId(), target.generation(), socket.path()));
      case DataplaneAddress.HttpsBase base -> deny(context, path, unsupported("an HTTPS address"));
      case DataplaneAddress.Streams opened -> deny(context, path, unsupported("opened streams"));
    }
  }

  private static Problem unsupported(String what) {
    return Problem.of(
        ErrorCode.UNSUPPORTED, "sandboxes behind " + what + " can not be relayed to yet");
  }

  private void forward(
      RoutingContext context,
      RelayPath path,
      DataplaneRoute route,
      Target target,
      TokenClaims claims,
      Endpoint endpoint) {
    HttpServerRequest request = context.request();
    Upgrade upgrade = route.webSocket() ? Upgrade.of(request).orElse(null) : null;
    if (route.webSocket() && upgrade == null) {
      deny(context, path, notAWebSocket());
      return;
    }
    RequestHead head;
    try {
      head = head(context, path, route, target, upgrade);
    } catch (WireException e) {
      deny(context, path, Problem.of(ErrorCode.VALIDATION, "the request has " + e.reason()));
      return;
    }
    Forward forward = new Forward(context, target, claims, upgrade, streams, metrics);
    if (!streams.add(forward)) {
      deny(context, path, Problem.of(ErrorCode.RATE_LIMITED, "too many open requests here"));
    } else if (targets.find(target.sandboxId()).isEmpty()) {
      // It ended between the look-up and the registration: nobody else would cut this one.
      forward.cut();
    } else {
      client.begin(endpoint, head, forward, forward::opened, forward::failed);
    }
  }

  private RequestHead head(
      RoutingContext context,
      RelayPath path,
      DataplaneRoute route,
      Target target,
      @Nullable Upgrade upgrade)
      throws WireException {
    HttpServerRequest request = context.request();
    RequestHead head = new RequestHead(request.method().name(), path.uri());
    head.header(RequestId.HEADER, RequestId.of(context));
    if (route.capability() != null) {
      String token =
          minter.relay(target.sandboxId(), target.generation(), route.capability()).value();
      head.header("Authorization", BEARER + token);
    }
    if (upgrade != null) {
      upgrade.ask(head);
    } else {
      RequestHeaders.pass(request, head);
      RequestHeaders.frame(request, head);
    }
    return head;
  }

  private static Problem notAWebSocket() {
    return Problem.of(
        ErrorCode.VALIDATION,
        "this route is a WebSocket: send Connection: Upgrade, Upgrade: websocket,"
            + " Sec-WebSocket-Version: 13 and a Sec-WebSocket-Key");
  }

  /** The one credential that counts: one Authorization header with a bearer token. */
  private static @Nullable String bearer(HttpServerRequest request) {
    List<String> all = request.headers().getAll(HttpHeaders.AUTHORIZATION);
    if (all.size() != 1) {
      return null;
    }
    String value = all.getFirst();
    return value.regionMatches(true, 0, BEARER, 0, BEARER.length())
        ? value.substring(BEARER.length())
        : null;
  }

  private static String address(HttpServerRequest request) {
    SocketAddress remote = request.remoteAddress();
    String host = remote == null ? null : remote.hostAddress();
    return host == null ? "local" : host;
  }

  private void refuse(RoutingContext context, String sandboxId, String reason) {
    LOG.infof(
        "relay refused request_id=%s sandbox=sb_%s address=%s: %s",
        RequestId.of(context), sandboxId, address(context.request()), reason);
    metrics.replied(ErrorCode.UNAUTHENTICATED.status());
    Answers.unauthenticated(context);
  }

  private void tooMany(RoutingContext context, int seconds) {
    metrics.replied(ErrorCode.RATE_LIMITED.status());
    context.request().response().putHeader("Retry-After", Integer.toString(seconds));
    Answers.problem(
        context,
        Problem.of(
            ErrorCode.RATE_LIMITED,
            "too many bad tokens came from this address; try again in " + seconds + " s"));
  }

  private void deny(RoutingContext context, RelayPath path, Problem problem) {
    LOG.infof(
        "relay denied request_id=%s sandbox=sb_%s code=%s",
        RequestId.of(context), path.sandboxId(), problem.code());
    metrics.replied(problem.status());
    Answers.problem(context, problem);
  }
}
