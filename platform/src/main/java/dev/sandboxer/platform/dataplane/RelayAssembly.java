package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.wire.WireClient;
import dev.sandboxer.platform.token.KeyRing;
import dev.sandboxer.platform.token.PeerCheck;
import dev.sandboxer.platform.token.PortPasses;
import dev.sandboxer.platform.token.TokenMinter;
import dev.sandboxer.platform.token.TokenVerifier;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import java.util.function.Supplier;

/**
 * The relay's parts, put together the same way in the platform and in tests.
 *
 * @param timeouts of streams in which nothing moves
 * @param audit of refusals
 */
record RelayAssembly(
    Vertx vertx,
    TokenVerifier verifier,
    TokenMinter minter,
    PortPasses passes,
    PeerCheck peers,
    DataplaneTargets targets,
    WireClient client,
    OpenStreams streams,
    MeterRegistry registry,
    RelayTimeouts timeouts,
    RelayAudit audit) {

  RelayRoutes routes(HostRule hosts, PortOrigins origins, Tickets tickets, Supplier<KeyRing> keys) {
    RelayMetrics metrics = new RelayMetrics(registry, streams);
    Admission admission = new Admission(vertx, verifier, targets);
    StreamServices keeping =
        new StreamServices(streams, metrics, targets, admission, timeouts, audit);
    Upstream upstream = new Upstream(client, minter, targets);
    TicketDesk desk = new TicketDesk(tickets, origins, hosts, metrics);
    Relay relay = new Relay(verifier, tickets, desk, upstream, keeping, hosts);
    PortDoor door = new PortDoor(tickets, minter, verifier, admission, origins);
    PortRelay ports = new PortRelay(origins, door, passes, verifier, admission, upstream, keeping);
    PeerDoor nodes = new PeerDoor(peers, targets, client, streams);
    SandboxRequests requests =
        new SandboxRequests(hosts, targets, new Forwarder(upstream, keeping));
    return new RelayRoutes(relay, ports, nodes, hosts, requests, keys);
  }
}
