package dev.sandboxer.platform.token;

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
    keys.load();
    LOG.debugf("signing keys are loaded after %s", event);
  }

  /** Computes with the JDK at first; what is faster takes a moment to load. */
  @Produces
  @Singleton
  Es256 es256() {
    Es256 es256 = new Es256();
    FasterEs256 faster = new FasterEs256(es256, TokenBeans.class.getClassLoader());
    Thread.ofPlatform().daemon().name("es256").start(faster::find);
    return es256;
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
      SigningKeys keys,
      Issuer issuer,
      Clock clock,
      AcceptedTokens accepted,
      Settings settings,
      Es256 es256) {
    return new TokenMinter(keys, issuer, clock, accepted, settings.tokenLife(), es256);
  }

  @Produces
  @Singleton
  TokenVerifier verifier(
      SigningKeys keys, Issuer issuer, Clock clock, AcceptedTokens accepted, Es256 es256) {
    return new TokenVerifier(keys, issuer, clock, accepted, es256);
  }

  @Produces
  @Singleton
  PortPasses portPasses(
      SigningKeys keys, Issuer issuer, Clock clock, AcceptedTokens accepted, Es256 es256) {
    return new PortPasses(keys, issuer, clock, accepted, es256);
  }
}
