package dev.sandboxer.platform.egress;

import dev.sandboxer.platform.dataplane.wire.WireClient;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.token.TokenMinter;
import io.micrometer.core.instrument.MeterRegistry;
import io.vertx.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Clock;

/** Puts the proxy together. */
@ApplicationScoped
class EgressBeans {

  @Produces
  @Singleton
  EgressProxy proxy(
      Vertx vertx,
      WireClient client,
      TokenMinter minter,
      Settings settings,
      PlatformEndpoints own,
      MeterRegistry registry,
      Clock clock) {
    return new EgressProxy(
        vertx,
        client,
        minter,
        settings.egressAddresses(),
        own,
        settings.nameServers(),
        settings.egressAuthorities().manager(),
        settings.longestConnection(),
        registry,
        clock,
        EgressProxy.PORT);
  }

  void close(@Disposes EgressProxy proxy) {
    proxy.close();
  }
}
