package dev.sandboxer.platform.boot;

import dev.sandboxer.platform.access.AdminKey;
import dev.sandboxer.platform.archive.ArchiveRetention;
import dev.sandboxer.platform.audit.AuditLog;
import dev.sandboxer.platform.box.BoxRetention;
import dev.sandboxer.platform.copy.HostCopies;
import dev.sandboxer.platform.delivery.Delivery;
import dev.sandboxer.platform.event.EventFeed;
import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.image.AllowedImages;
import dev.sandboxer.platform.profile.ProfileSchema;
import dev.sandboxer.platform.profile.ProfileStore;
import dev.sandboxer.platform.provisioning.Adoption;
import dev.sandboxer.platform.provisioning.WorkListener;
import dev.sandboxer.platform.provisioning.WorkLoop;
import dev.sandboxer.platform.secret.Secrets;
import dev.sandboxer.platform.setup.SetupLayers;
import dev.sandboxer.platform.token.RevocationEpochs;
import io.quarkus.runtime.ShutdownEvent;
import io.quarkus.runtime.StartupEvent;
import io.quarkus.scheduler.Scheduler;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import org.eclipse.microprofile.config.inject.ConfigProperty;

/** Brings the features up in order, once the database is open. */
@ApplicationScoped
class Startup {

  private final RunMode mode;
  private final String version;
  private final AdminKey adminKey;
  private final Hosts hosts;
  private final ExtensionRegistry extensions;
  private final AuditLog audit;
  private final RevocationEpochs epochs;
  private final HostCopies copies;
  private final SetupLayers layers;
  private final WorkLoop work;
  private final WorkListener listener;
  private final Adoption adoption;
  private final EventFeed events;
  private final Delivery delivery;
  private final BoxRetention boxes;
  private final ArchiveRetention archives;
  private final Secrets secrets;
  private final AllowedImages images;
  private final ProfileSchema schema;
  private final ProfileStore profiles;
  private final Scheduler jobs;

  Startup(
      RunMode mode,
      @ConfigProperty(name = "quarkus.application.version") String version,
      AdminKey adminKey,
      Hosts hosts,
      ExtensionRegistry extensions,
      AuditLog audit,
      RevocationEpochs epochs,
      HostCopies copies,
      SetupLayers layers,
      WorkLoop work,
      WorkListener listener,
      Adoption adoption,
      EventFeed events,
      Delivery delivery,
      BoxRetention boxes,
      ArchiveRetention archives,
      Secrets secrets,
      AllowedImages images,
      ProfileSchema schema,
      ProfileStore profiles,
      Scheduler jobs) {
    this.mode = mode;
    this.version = version;
    this.adminKey = adminKey;
    this.hosts = hosts;
    this.extensions = extensions;
    this.audit = audit;
    this.epochs = epochs;
    this.copies = copies;
    this.layers = layers;
    this.work = work;
    this.listener = listener;
    this.adoption = adoption;
    this.events = events;
    this.delivery = delivery;
    this.boxes = boxes;
    this.archives = archives;
    this.secrets = secrets;
    this.images = images;
    this.schema = schema;
    this.profiles = profiles;
    this.jobs = jobs;
  }

  void start(@Observes StartupEvent event) {
    if (!mode.serving()) {
      return;
    }
    secrets.start();
    images.start();
    adminKey.ensure();
    hosts.register(version, extensions.callable());
    audit.start();
    epochs.start();
    copies.start();
    layers.start();
    work.start();
    listener.start();
    adoption.start();
    events.start();
    delivery.start();
    boxes.start();
    archives.start();
    schema.publish();
    profiles.start();
    jobs.resume();
  }

  /** The audit last: it writes what the others still say. */
  void stop(@Observes ShutdownEvent event) {
    if (mode.serving()) {
      jobs.pause();
      profiles.stop();
      events.stop();
      delivery.stop();
      adoption.stop();
      listener.stop();
      work.stop();
      epochs.stop();
      audit.stop();
    }
  }
}
