package dev.sandboxer.platform.token;

import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.installation.Installation;
import dev.sandboxer.platform.installation.Sealer;
import dev.sandboxer.platform.installation.Settings;
import io.quarkus.runtime.StartupEvent;
import jakarta.annotation.Priority;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Clock;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;

/** Lends minter, verifier and keys to other features. */
@ApplicationScoped
class TokenBeans {

  private static final Logger LOG = Logger.getLogger(TokenBeans.class);
  private static final int AFTER_INSTALLATION = 2;

  /** Before anything listens, since a load blocks and requests run on event loops. */
  void load(@Observes @Priority(AFTER_INSTALLATION) StartupEvent event, SigningKeys keys) {
    FasterEs256 faster = new FasterEs256(TokenBeans.class.getClassLoader());
    Thread.ofPlatform().daemon().name("es256").start(faster::install);
    keys.load();
    LOG.debugf("signing keys are loaded after %s", event);
  }

  @Produces
  @Singleton
  SigningKeys signingKeys(Jdbi jdbi, Sealer sealer) {
    return new SigningKeys(jdbi, sealer);
  }

  @Produces
  @Singleton
  AcceptedTokens acceptedTokens() {
    return new AcceptedTokens();
  }

  @Produces
  @Singleton
  Issuer issuer(Installation installation) {
    return new Issuer(installation.id());
  }

  @Produces
  @Singleton
  TokenMinter minter(
      SigningKeys keys, Issuer issuer, Clock clock, AcceptedTokens accepted, Settings settings) {
    return new TokenMinter(keys, issuer, clock, accepted, settings.tokenLife());
  }

  @Produces
  @Singleton
  TokenVerifier verifier(SigningKeys keys, Issuer issuer, Clock clock, AcceptedTokens accepted) {
    return new TokenVerifier(keys, issuer, clock, accepted);
  }

  @Produces
  @Singleton
  PeerCheck peerCheck(Hosts hosts, SigningKeys keys, Issuer issuer, Clock clock) {
    return new PeerCheck(hosts.node().id(), keys, issuer, clock);
  }

  @Produces
  @Singleton
  PortPasses portPasses(SigningKeys keys, Issuer issuer, Clock clock, AcceptedTokens accepted) {
    return new PortPasses(keys, issuer, clock, accepted);
  }
}
