package dev.sandboxer.platform.sweep;

import dev.sandboxer.spi.InventoryPage.InventoryObject;
import java.util.List;

/** What an extension answered for a place. */
sealed interface Listing {

  /**
   * Everything.
   *
   * @param objects of all pages
   */
  record Complete(List<InventoryObject> objects) implements Listing {}

  /**
   * Nothing that could be judged.
   *
   * @param reason for an operator
   */
  record Unusable(String reason) implements Listing {}
}
