package dev.sandboxer.platform.sweep;

import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.provisioning.BackendInventory;
import dev.sandboxer.platform.provisioning.LifeCheck;
import dev.sandboxer.platform.sweep.SweepResult.Actions;
import dev.sandboxer.platform.sweep.SweepResult.Found;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.InventoryPage.InventoryObject;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jboss.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Brings a backend and the records together again, within bounds. */
@ApplicationScoped
class Removal {

  /** For a whole pass. What does not fit is left to the next one. A last call may take its time. */
  static final Duration MOST = Duration.ofMinutes(4);

  private static final Logger LOG = Logger.getLogger(Removal.class);

  private final BackendInventory inventory;
  private final LifeCheck lives;
  private final Records records;
  private final Failpoints failpoints;

  Removal(BackendInventory inventory, LifeCheck lives, Records records, Failpoints failpoints) {
    this.inventory = inventory;
    this.lives = lives;
    this.records = records;
    this.failpoints = failpoints;
  }

  /** Removes what is wanted, and checks the records that miss their object. */
  Actions act(Place place, Found found) {
    long start = System.nanoTime();
    List<String> refused = new ArrayList<>();
    List<InventoryObject> removed = new ArrayList<>();
    List<Records.Live> failed = new ArrayList<>();
    if (let(place, found, found.wanted().size(), "objects to remove", refused)) {
      for (InventoryObject object : found.wanted()) {
        if (within(start) && remove(place, object)) {
          removed.add(object);
        }
      }
    }
    if (let(place, found, found.missing().size(), "records without an object", refused)) {
      for (Records.Live record : found.missing()) {
        if (within(start) && lives.check(record.sandbox(), record.generation())) {
          failed.add(record);
        }
      }
    }
    return new Actions(removed, failed, refusal(place, refused));
  }

  private static boolean let(
      Place place, Found found, int number, String what, List<String> refused) {
    boolean let = place.confirmed() || number <= found.bound();
    if (!let) {
      refused.add(
          "%d %s, more than %d of %d listed at once"
              .formatted(number, what, found.bound(), found.objects()));
    }
    return let;
  }

  private static @Nullable String refusal(Place place, List<String> refused) {
    return refused.isEmpty()
        ? null
        : "%s; look with sandboxer sweep --dry-run --host %s, go on with sandboxer sweep --confirm --host %s"
            .formatted(String.join(", and ", refused), place.host().id(), place.host().id());
  }

  private static boolean within(long start) {
    return System.nanoTime() - start < MOST.toNanos();
  }

  /**
   * Removes one object, unless it has a record by now. That no create comes between this look and
   * the call needs no lock. An attempt's row is committed before the first call of its extension,
   * the number of an attempt is never given twice, and a row that is done is never opened again. So
   * an object that was made before the listing, and has no open row now, gets none. The exception
   * is a database that was set back, which gives numbers again: there sweeps only report until the
   * operator accepts it, and the grace begins then. The teardown is by handle: what else has the
   * identity is not its concern.
   */
  private boolean remove(Place place, InventoryObject object) {
    if (!records.stillUnrecorded(place, object)) {
      LOG.infof("object has a record by now %s uid=%s", place, object.providerUid());
      return false;
    }
    failpoints.reach("sweep.confirmed");
    try {
      CleanupReport report = inventory.remove(place.extension(), place.host(), object);
      failpoints.reach("sweep.torn_down");
      boolean removed = report.clean() && !report.removed().isEmpty();
      LOG.warnf(
          "object without a record %s %s identity=%s uid=%s left=%s",
          removed ? "removed" : "was not removed",
          place,
          object.identity().name(),
          object.providerUid(),
          report.left());
      return removed;
    } catch (ExtensionException e) {
      LOG.warnf(
          "object without a record was not removed %s uid=%s code=%s message=%s",
          place, object.providerUid(), e.code(), e.getMessage());
      return false;
    }
  }
}
