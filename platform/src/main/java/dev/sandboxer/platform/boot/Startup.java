package dev.sandboxer.platform.boot;

import dev.sandboxer.platform.access.AdminKey;
import dev.sandboxer.platform.delivery.Delivery;
import dev.sandboxer.platform.event.EventFeed;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.ops.Ticker;
import dev.sandboxer.platform.profile.ProfileSchema;
import dev.sandboxer.platform.profile.ProfileStore;
import dev.sandboxer.platform.provisioning.NodeWork;
import dev.sandboxer.platform.reaper.Reaper;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Brings the features up in order, once the database is open. */
@ApplicationScoped
class Startup {

  private final RunMode mode;
  private final String version;
  private final AdminKey adminKey;
  private final Hosts hosts;
  private final NodeWork work;
  private final Reaper reaper;
  private final ProfileStore profiles;
  private final ProfileSchema schema;
  private final Ticker ticker;
  private final EventFeed events;
  private final Background background;
  private final Delivery delivery;

  Startup(
      RunMode mode,
      @ConfigProperty(name = "quarkus.application.version") String version,
      AdminKey adminKey,
      Hosts hosts,
      NodeWork work,
      Reaper reaper,
      ProfileStore profiles,
      ProfileSchema schema,
      Ticker ticker,
      EventFeed events,
      Background background,
      Delivery delivery) {
    this.mode = mode;
    this.version = version;
    this.adminKey = adminKey;
    this.hosts = hosts;
    this.work = work;
    this.reaper = reaper;
    this.profiles = profiles;
    this.schema = schema;
    this.ticker = ticker;
    this.events = events;
    this.background = background;
    this.delivery = delivery;
  }

  void start(@Observes StartupEvent event) {
    if (!mode.serving()) {
      return;
    }
    adminKey.ensure();
    hosts.register(version);
    background.start();
    work.start();
    events.start();
    delivery.start();
    schema.publish();
    ticker.every("profiles", Duration.ofMillis(500), profiles::importChanges);
    ticker.every("reaper", Duration.ofSeconds(1), reaper::pass);
  }

  void stop(@Observes ShutdownEvent event) {
    if (mode.serving()) {
      events.stop();
      delivery.stop();
      work.stop();
      background.stop();
    }
  }
}
