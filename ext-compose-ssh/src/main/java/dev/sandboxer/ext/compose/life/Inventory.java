package dev.sandboxer.ext.compose.life;

import dev.sandboxer.ext.compose.host.Machine;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryPage.InventoryObject;
import dev.sandboxer.spi.SandboxIdentity;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;

/** Lists this installation's sandboxes on a machine, also what only a part is left of. */
final class Inventory {

  private Inventory() {}

  static InventoryPage list(Machine machine, Labels labels) throws ExtensionException {
    Listing seen = Listing.ofAll(machine, labels);
    List<InventoryObject> objects =
        seen.all().stream()
            .flatMap(thing -> thing.owner().stream())
            .distinct()
            .sorted(Comparator.comparing(SandboxIdentity::name))
            .map(identity -> object(seen, identity))
            .toList();
    return new InventoryPage("Docker Engine of " + machine.name(), true, objects, null);
  }

  private static InventoryObject object(Listing seen, SandboxIdentity identity) {
    Thing first = seen.boxd(identity).or(() -> seen.of(identity).findFirst()).orElseThrow();
    Instant made =
        seen.of(identity).map(Thing::made).min(Comparator.naturalOrder()).orElse(first.made());
    return new InventoryObject(identity, first.uid(), made, new ComposeHandle(identity).toHandle());
  }
}
