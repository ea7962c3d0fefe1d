package dev.sandboxer.platform.sweep;

import dev.sandboxer.platform.provisioning.BackendInventory;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryPage.InventoryObject;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Reads all pages of an inventory, for a bounded time. */
@ApplicationScoped
class Lister {

  /** For all pages. A page that is being read then may take its own time as well. */
  static final Duration MOST = Duration.ofMinutes(4);

  private final BackendInventory inventory;

  Lister(BackendInventory inventory) {
    this.inventory = inventory;
  }

  Listing list(Place place) {
    long start = System.nanoTime();
    List<InventoryObject> objects = new ArrayList<>();
    @Nullable String scope = null;
    @Nullable String cursor = null;
    try {
      do {
        InventoryPage page = inventory.page(place.extension(), place.host(), cursor);
        if (scope != null && !scope.equals(page.scope())) {
          return new Listing.Unusable("pages are of %s and of %s".formatted(scope, page.scope()));
        }
        scope = page.scope();
        objects.addAll(page.objects());
        cursor = page.nextCursor();
        if (cursor == null) {
          return page.complete()
              ? new Listing.Complete(objects)
              : new Listing.Unusable("the listing is not complete");
        }
      } while (System.nanoTime() - start < MOST.toNanos());
      return new Listing.Unusable("the listing has not ended within " + MOST);
    } catch (ExtensionException e) {
      return new Listing.Unusable(e.code() + ": " + e.getMessage());
    }
  }
}
