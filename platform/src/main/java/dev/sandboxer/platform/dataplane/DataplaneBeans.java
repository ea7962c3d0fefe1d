package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.audit.AuditLog;
import dev.sandboxer.platform.dataplane.wire.SocketCheck;
import dev.sandboxer.platform.dataplane.wire.UnixHttpClient;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.installation.UidRange;
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
  UnixHttpClient client(Vertx vertx, Settings settings) {
    UidRange sandboxes = settings.uidRange();
    return new UnixHttpClient(
        vertx, new SocketCheck(uid -> uid >= sandboxes.first() && uid <= sandboxes.last()));
  }

  @Produces
  @Singleton
  BoxdClient boxdClient(Vertx vertx, UnixHttpClient client, TokenMinter minter) {
    return new BoxdClient(vertx, client, minter);
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
  RelayAssembly assembly(
      Vertx vertx,
      TokenVerifier verifier,
      TokenMinter minter,
      PortPasses passes,
      DataplaneTargets targets,
      UnixHttpClient client,
      OpenStreams streams,
      MeterRegistry registry,
      AuditLog audit,
      Clock clock) {
    return new RelayAssembly(
        vertx,
        verifier,
        minter,
        passes,
        targets,
        client,
        streams,
        registry,
        RelayTimeouts.USUAL,
        new RelayAudit(audit::recordNow, targets, clock));
  }
}
