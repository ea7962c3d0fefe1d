package dev.sandboxer.platform.installation;

import io.smallrye.config.Expressions;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Produces;
import jakarta.inject.Singleton;
import java.time.Clock;
import org.eclipse.microprofile.config.Config;
import org.jdbi.v3.core.Jdbi;

/** Lends the installation's parts to other features. */
@ApplicationScoped
class InstallationBeans {

  /** As it is: a password may hold what looks like an expression. */
  @Produces
  @Singleton
  Environment environment(Config config) {
    return name ->
        Expressions.withoutExpansion(
            () -> config.getOptionalValue(name, String.class).orElse(null));
  }

  @Produces
  @Singleton
  Home home(Environment environment) {
    return Home.open(environment);
  }

  @Produces
  @Singleton
  Settings settings(Home home, Environment environment) {
    return Settings.load(home, environment);
  }

  @Produces
  @Singleton
  MasterKey masterKey(Home home, Settings settings) {
    return MasterKey.open(home, settings);
  }

  @Produces
  @Singleton
  IdentitySigner identitySigner(MasterKey key) {
    return key.identitySigner();
  }

  @Produces
  @Singleton
  InstallationStore store(Home home, Jdbi jdbi) {
    return new InstallationStore(home, jdbi);
  }

  @Produces
  @Singleton
  Installation installation(InstallationStore store, MasterKey madeFirst) {
    return store.open();
  }

  @Produces
  @Singleton
  Clock clock() {
    return Clock.systemUTC();
  }
}
