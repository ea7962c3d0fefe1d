package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.connection.ClientAddress;
import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.Endpoint;
import dev.sandboxer.platform.dataplane.wire.PeerPath;
import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.dataplane.wire.WireClient;
import dev.sandboxer.platform.dataplane.wire.WireStream;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.RequestId;
import dev.sandboxer.platform.token.PeerCheck;
import dev.sandboxer.platform.token.TokenClaims;
import dev.sandboxer.platform.token.Verdict;
import io.vertx.core.Context;
import io.vertx.core.Handler;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.ext.web.RoutingContext;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * Opens streams for other nodes to the boxds that only this node reaches. What flows through them
 * is not looked at: the other node has checked its client, and boxd checks each request's token.
 */
final class PeerDoor implements Handler<RoutingContext> {

  private static final Logger LOG = Logger.getLogger(PeerDoor.class);
  private static final String BEARER = "Bearer ";

  private final PeerCheck tokens;
  private final DataplaneTargets targets;
  private final WireClient client;
  private final OpenStreams streams;
  private final Executor loading = Executors.newVirtualThreadPerTaskExecutor();

  PeerDoor(PeerCheck tokens, DataplaneTargets targets, WireClient client, OpenStreams streams) {
    this.tokens = tokens;
    this.targets = targets;
    this.client = client;
    this.streams = streams;
  }

  @Override
  public void handle(RoutingContext context) {
    HttpServerRequest request = context.request();
    request.pause();
    Optional<PeerPath> path = PeerPath.parse(request.uri());
    boolean upgrade = PeerPath.PROTOCOL.equals(request.getHeader(HttpHeaders.UPGRADE));
    if (path.isEmpty() || !upgrade) {
      refuse(context, ErrorCode.NOT_FOUND, "this path is for nodes of the installation");
    } else {
      authenticate(context, path.get());
    }
  }

  private void authenticate(RoutingContext context, PeerPath path) {
    String address = ClientAddress.of(context.request());
    switch (tokens.verify(token(context), path.sandboxId(), path.generation(), address)) {
      case Verdict.Accepted good -> find(context, good.claims());
      case Verdict.Refused bad -> {
        LOG.warnf(
            "a node's token was refused request_id=%s sandbox=%s address=%s: %s",
            RequestId.of(context), path.sandboxId(), address, bad.reason());
        refuse(context, ErrorCode.UNAUTHENTICATED, "a node's token is needed here");
      }
      case Verdict.TooMany many ->
          refuse(
              context,
              ErrorCode.RATE_LIMITED,
              "too many bad tokens; try again in " + many.retryAfterSeconds() + " s");
    }
  }

  private static @Nullable String token(RoutingContext context) {
    String header = context.request().getHeader(HttpHeaders.AUTHORIZATION);
    return header == null || !header.startsWith(BEARER) ? null : header.substring(BEARER.length());
  }

  private void find(RoutingContext context, TokenClaims claims) {
    Optional<Target> known = targets.find(claims.sandboxId());
    if (known.filter(target -> target.generation() >= claims.generation()).isPresent()) {
      found(context, claims, known);
      return;
    }
    Context loop = context.vertx().getOrCreateContext();
    loading.execute(
        () -> {
          try {
            Optional<Target> loaded = targets.load(claims.sandboxId());
            loop.runOnContext(on -> found(context, claims, loaded));
          } catch (RuntimeException e) {
            LOG.errorf(e, "a node's sandbox could not be loaded sandbox=%s", claims.sandboxId());
            loop.runOnContext(
                on -> refuse(context, ErrorCode.DATABASE_UNAVAILABLE, "try again in a moment"));
          }
        });
  }

  private void found(RoutingContext context, TokenClaims claims, Optional<Target> found) {
    Optional<Target> wanted = found.filter(target -> target.generation() == claims.generation());
    if (wanted.isEmpty() || wanted.get().transport() instanceof Transport.Peer) {
      refuse(context, ErrorCode.NOT_FOUND, "this node has no such sandbox");
      return;
    }
    Target target = wanted.get();
    client.open(
        new Endpoint(target.sandboxId(), target.generation(), target.transport()),
        stream -> opened(context, claims, target, stream),
        failure -> {
          targets.lost(target);
          refuse(
              context,
              ErrorCode.SANDBOX_UNREACHABLE,
              "sandbox %s cannot be reached: %s".formatted(target.sandboxId(), failure.reason()));
        });
  }

  private void opened(RoutingContext context, TokenClaims claims, Target target, WireStream boxd) {
    boxd.pause();
    context
        .response()
        .setStatusCode(101)
        .putHeader(HttpHeaders.CONNECTION, "Upgrade")
        .putHeader(HttpHeaders.UPGRADE, PeerPath.PROTOCOL);
    Context loop = context.vertx().getOrCreateContext();
    ClientLine line = new ClientLine(context.request().connection());
    context
        .request()
        .toNetSocket()
        .onSuccess(peer -> PeerPipe.begin(loop, peer, line, boxd, target, claims, streams))
        .onFailure(failure -> boxd.cut());
  }

  private static void refuse(RoutingContext context, ErrorCode code, String message) {
    Answers.problem(context, Problem.of(code, message));
  }
}
