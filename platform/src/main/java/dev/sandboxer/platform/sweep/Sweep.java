package dev.sandboxer.platform.sweep;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.installation.InstallationStore;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.sweep.SweepResult.Actions;
import dev.sandboxer.platform.sweep.SweepResult.Found;
import dev.sandboxer.platform.volume.VolumeSweep;
import dev.sandboxer.spi.InventoryPage.InventoryObject;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;

/**
 * Has each backend list what it has of this installation, and compares that with the records. An
 * object without a record is removed if a later listing still has it, and a record without an
 * object fails if its backend confirms that. A listing that is not complete, that fails, or that
 * has nothing although sandboxes live there, judges nothing.
 */
@ApplicationScoped
class Sweep {

  private static final Logger LOG = Logger.getLogger(Sweep.class);

  /** Longer than a listing, the removal, and the last call of each may take. */
  private static final Duration CLAIMED = Lister.MOST.plus(Removal.MOST).plusMinutes(3);

  /** Of a kind and listing; the figures count all. */
  private static final int MOST_LINES = 20;

  private final Places places;
  private final Lister lister;
  private final Records records;
  private final Suspects suspects;
  private final Removal removal;
  private final VolumeSweep volumes;
  private final ExtensionRegistry registry;
  private final InstallationStore installation;
  private final Failpoints failpoints;
  private final Duration every;

  Sweep(
      Places places,
      Lister lister,
      Records records,
      Suspects suspects,
      Removal removal,
      VolumeSweep volumes,
      ExtensionRegistry registry,
      InstallationStore installation,
      Failpoints failpoints,
      Settings settings) {
    this.failpoints = failpoints;
    this.suspects = suspects;
    this.removal = removal;
    this.volumes = volumes;
    this.installation = installation;
    this.places = places;
    this.lister = lister;
    this.records = records;
    this.registry = registry;
    this.every = settings.sweepEvery();
  }

  /** Sweeps the places that are due, all at once, and waits for them. */
  @RunOnVirtualThread
  @Scheduled(identity = "sweep", every = "2s", concurrentExecution = SKIP)
  void pass() {
    List<Place> due = places.claim(registry.callable(), every, CLAIMED);
    if (due.isEmpty()) {
      return;
    }
    Optional<String> doubt = doubt();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      due.forEach(place -> threads.execute(() -> sweep(place, doubt)));
    }
  }

  private Optional<String> doubt() {
    try {
      return installation.countSweep();
    } catch (RuntimeException e) {
      return Optional.of("nobody can say whether home and database belong together: " + e);
    }
  }

  private void sweep(Place place, Optional<String> doubt) {
    failpoints.reach("sweep.claimed");
    try {
      SweepResult result = compare(place, doubt);
      report(place, result);
      places.done(place, result, every);
      failpoints.reach("sweep.done");
    } catch (RuntimeException e) {
      LOG.warnf("sweep is left until its claim lapses %s reason=%s", place, e);
    }
  }

  private SweepResult compare(Place place, Optional<String> doubt) {
    return switch (lister.list(place)) {
      case Listing.Unusable(String reason) -> new SweepResult.Unjudged(reason);
      case Listing.Complete(List<InventoryObject> objects) -> judge(place, objects, doubt);
    };
  }

  private SweepResult judge(Place place, List<InventoryObject> objects, Optional<String> doubt) {
    List<Records.Live> live = records.live(place);
    if (objects.isEmpty() && !live.isEmpty()) {
      return new SweepResult.Unjudged(
          "the listing is empty, but %d sandboxes are recorded as live there"
              .formatted(live.size()));
    }
    Set<Records.Live> listed = objects.stream().map(Sweep::record).collect(Collectors.toSet());
    List<InventoryObject> unrecorded = records.unrecorded(place, objects);
    boolean acts = doubt.isEmpty() && !place.dryRun();
    Found found =
        new Found(
            objects.size(),
            live.size(),
            unrecorded,
            acts ? suspects.note(place, unrecorded) : suspects.ripe(place, unrecorded),
            live.stream().filter(record -> !listed.contains(record)).toList());
    failpoints.reach("sweep.noted");
    SweepResult.Actions actions = acts ? removal.act(place, found) : reportOnly(doubt);
    return new SweepResult.Judged(
        found,
        actions,
        volumes.sweep(place.extension(), place.host(), place.began(), acts, place.confirmed()));
  }

  private static Actions reportOnly(Optional<String> doubt) {
    return doubt
        .map(
            why ->
                new Actions(
                    List.of(),
                    List.of(),
                    "it only reports: %s; if this is the right database, say so with sandboxer sweep --accept-restore"
                        .formatted(why)))
        .orElse(Actions.NONE);
  }

  private static Records.Live record(InventoryObject object) {
    return new Records.Live(
        new SandboxId(object.identity().sandbox()),
        object.identity().generation(),
        object.identity().attempt(),
        object.providerUid());
  }

  private static void report(Place place, SweepResult result) {
    switch (result) {
      case SweepResult.Unjudged(String reason) ->
          LOG.warnf("sweep judges nothing %s reason=%s", place, reason);
      case SweepResult.Judged judged -> {
        judged.found().unrecorded().stream()
            .limit(MOST_LINES)
            .forEach(object -> report(place, object));
        judged.found().missing().stream()
            .limit(MOST_LINES)
            .forEach(record -> report(place, record));
        if (judged.actions().refused() != null) {
          LOG.warnf("sweep needs an operator %s reason=%s", place, judged.actions().refused());
        }
      }
    }
  }

  private static void report(Place place, InventoryObject object) {
    LOG.warnf(
        "object without a record %s identity=%s uid=%s created=%s",
        place, object.identity().name(), object.providerUid(), object.createdAt());
  }

  private static void report(Place place, Records.Live record) {
    LOG.warnf(
        "live sandbox without an object %s sandbox=%s generation=%d attempt=%d uid=%s",
        place, record.sandbox(), record.generation(), record.attempt(), record.providerUid());
  }
}
