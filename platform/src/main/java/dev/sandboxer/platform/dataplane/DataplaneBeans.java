package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.audit.AuditLog;
import dev.sandboxer.platform.dataplane.wire.SocketCheck;
import dev.sandboxer.platform.dataplane.wire.WireClient;
import dev.sandboxer.platform.installation.Authorities;
import dev.sandboxer.platform.installation.HostUids;
import dev.sandboxer.platform.installation.KeyDerivation;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.token.PeerCheck;
import dev.sandboxer.platform.token.PortPasses;
import dev.sandboxer.platform.token.SigningKeys;
import dev.sandboxer.platform.token.TokenMinter;
import dev.sandboxer.platform.token.TokenVerifier;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Clock;
import org.jdbi.v3.core.Jdbi;

/** Puts the way to boxd together. */
@ApplicationScoped
class DataplaneBeans {

  @Produces
  @Singleton
  BoxdCertificates certificates(KeyDerivation derivation) {
    return new BoxdCertificates(derivation);
  }

  @Produces
  @Singleton
  WireClient client(
      Vertx vertx,
      Settings settings,
      HostUids uids,
      BoxdCertificates certificates,
      TokenMinter minter) {
    return new WireClient(
        vertx,
        new SocketCheck(uids::sandboxes),
        certificates,
        settings.authorities().map(Authorities::trust),
        (node, sandbox, generation) -> minter.peer(node, sandbox, generation).value(),
        WireClient.SLOT_LIMIT);
  }

  @Produces
  @Singleton
  BoxdClient boxdClient(Vertx vertx, WireClient client, TokenMinter minter) {
    return new BoxdClient(vertx, client, minter);
  }

  @Produces
  @Singleton
  BoxdFolders boxdFolders(Vertx vertx, WireClient client, TokenMinter minter) {
    return new BoxdFolders(vertx, client, minter);
  }

  @Produces
  @Singleton
  SandboxCalls sandboxCalls(
      Vertx vertx,
      WireClient client,
      TokenMinter minter,
      DataplaneTargets targets,
      OpenStreams streams) {
    return new SandboxCalls(vertx, new Upstream(client, minter, targets), targets, streams);
  }

  @Produces
  @Singleton
  OutputMemory outputMemory() {
    return OutputMemory.ofHeap(Runtime.getRuntime().maxMemory());
  }

  @Produces
  @Singleton
  SandboxCommands sandboxCommands(SandboxCalls calls, OutputMemory memory) {
    return new SandboxCommands(calls, memory);
  }

  @Produces
  @Singleton
  BoxdCommands boxdCommands(
      Vertx vertx, WireClient client, TokenMinter minter, OutputMemory memory) {
    return new BoxdCommands(vertx, client, minter, memory);
  }

  @Produces
  @Singleton
  SandboxSockets sandboxSockets(
      SandboxCalls calls,
      WireClient client,
      TokenMinter minter,
      DataplaneTargets targets,
      OpenStreams streams) {
    return new SandboxSockets(calls, new Upstream(client, minter, targets), targets, streams);
  }

  @Produces
  @Singleton
  OpenStreams openStreams() {
    return new OpenStreams();
  }

  @Produces
  @Singleton
  RelayRoutes relayRoutes(RelayAssembly assembly, Settings settings, SigningKeys keys, Jdbi jdbi) {
    return assembly.routes(
        HostRule.of(settings), PortOrigins.of(settings), new Tickets(jdbi), keys);
  }

  @Produces
  @Singleton
  SandboxRequests sandboxRequests(RelayRoutes routes) {
    return routes.requests();
  }

  @Produces
  @Singleton
  RelayAssembly assembly(
      Vertx vertx,
      TokenVerifier verifier,
      TokenMinter minter,
      PortPasses passes,
      PeerCheck peers,
      DataplaneTargets targets,
      WireClient client,
      OpenStreams streams,
      MeterRegistry registry,
      AuditLog audit,
      Clock clock) {
    return new RelayAssembly(
        vertx,
        verifier,
        minter,
        passes,
        peers,
        targets,
        client,
        streams,
        registry,
        RelayTimeouts.USUAL,
        new RelayAudit(audit::recordNow, targets, clock));
  }
}
