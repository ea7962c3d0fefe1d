package dev.sandboxer.platform.sweep;

import dev.sandboxer.platform.volume.VolumeSweep;
import dev.sandboxer.spi.InventoryPage.InventoryObject;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the comparison of a place found, and what was done. */
sealed interface SweepResult {

  /**
   * It was judged.
   *
   * @param found what the comparison found
   * @param actions what was done
   * @param volumes the same of volumes
   */
  record Judged(Found found, Actions actions, VolumeSweep.Result volumes) implements SweepResult {}

  /**
   * What a comparison found.
   *
   * @param objects how many were listed
   * @param recorded live records
   * @param unrecorded objects that nobody recorded, or that are recorded as removed
   * @param wanted those of them that are to be removed now
   * @param missing live records whose object was not listed
   */
  record Found(
      int objects,
      int recorded,
      List<InventoryObject> unrecorded,
      List<InventoryObject> wanted,
      List<Records.Live> missing) {

    private static final int LEAST_BOUND = 5;
    private static final int PART_OF_LISTED = 10;

    /** How many objects, and how many records, may go in one pass without an operator. */
    int bound() {
      return Math.max(LEAST_BOUND, objects / PART_OF_LISTED);
    }
  }

  /**
   * What was done about it.
   *
   * @param removed objects that were removed
   * @param failed records that have failed, as their backend confirmed
   * @param refused why not all that was wanted was tried, null if it was
   */
  record Actions(
      List<InventoryObject> removed, List<Records.Live> failed, @Nullable String refused) {

    static final Actions NONE = new Actions(List.of(), List.of(), null);
  }

  /**
   * It could not be judged.
   *
   * @param reason for an operator
   */
  record Unjudged(String reason) implements SweepResult {}
}
