package dev.sandboxer.platform.sweep;

import dev.sandboxer.spi.InventoryPage.InventoryObject;
import java.util.List;

/** What the comparison of a place found. */
sealed interface SweepResult {

  /**
   * It was judged.
   *
   * @param objects how many were listed
   * @param unrecorded objects that nobody recorded, or that are recorded as removed
   * @param missing live records whose object was not listed
   */
  record Judged(int objects, List<InventoryObject> unrecorded, List<Records.Live> missing)
      implements SweepResult {}

  /**
   * It could not be judged.
   *
   * @param reason for an operator
   */
  record Unjudged(String reason) implements SweepResult {}
}
