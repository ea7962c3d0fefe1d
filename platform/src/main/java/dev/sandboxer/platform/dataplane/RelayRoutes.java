package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.wire.PeerPath;
import dev.sandboxer.platform.problem.RequestId;
import dev.sandboxer.platform.token.KeyPurpose;
import dev.sandboxer.platform.token.KeyRing;
import io.vertx.ext.web.Router;
import io.vertx.ext.web.RoutingContext;
import java.util.function.Supplier;

/** Puts the relay, the ports, the key set and the rules for every path onto a router. */
final class RelayRoutes {

  private static final int BEFORE_ALL = -1_000;
  private static final int EARLY = -900;

  private final Relay relay;
  private final PortRelay ports;
  private final PeerDoor nodes;
  private final HostRule hosts;
  private final SandboxRequests requests;
  private final Supplier<KeyRing> keys;

  RelayRoutes(
      Relay relay,
      PortRelay ports,
      PeerDoor nodes,
      HostRule hosts,
      SandboxRequests requests,
      Supplier<KeyRing> keys) {
    this.relay = relay;
    this.ports = ports;
    this.nodes = nodes;
    this.hosts = hosts;
    this.requests = requests;
    this.keys = keys;
  }

  void mount(Router router) {
    router
        .route()
        .order(BEFORE_ALL)
        .handler(RelayRoutes::identify)
        .handler(ports)
        .handler(hosts)
        .handler(hosts.pages());
    router.route("/dp/*").order(EARLY).handler(relay);
    router.get(PeerPath.PREFIX + "*").order(EARLY).handler(nodes);
    router.get("/.well-known/jwks.json").order(EARLY).handler(this::jwks);
  }

  /** For the platform's other doors. */
  SandboxRequests requests() {
    return requests;
  }

  private static void identify(RoutingContext context) {
    RequestId.of(context);
    context.next();
  }

  private void jwks(RoutingContext context) {
    context
        .response()
        .putHeader("Content-Type", "application/jwk-set+json")
        .putHeader("Cache-Control", "public, max-age=60")
        .end(keys.get().jwks(KeyPurpose.CLIENT));
  }
}
