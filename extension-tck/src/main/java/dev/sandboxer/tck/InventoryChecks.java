package dev.sandboxer.tck;

import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.SandboxIdentity;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/** An inventory is all of ours and nothing else. */
final class InventoryChecks {
  private static final int SOME = 3;

  private final Benches benches;

  InventoryChecks(Benches benches) {
    this.benches = benches;
  }

  void isCompleteAndOnlyOurs() {
    Bench bench = benches.installation();
    Bench stranger = benches.installation();
    stranger.provision(stranger.identity());
    List<SandboxIdentity> made = Stream.generate(bench::identity).limit(SOME).toList();
    made.forEach(bench::provision);
    InventoryPage inventory = inventory(bench);
    List<SandboxIdentity> listed =
        inventory.objects().stream().map(InventoryPage.InventoryObject::identity).toList();
    Promise.INVENTORY.require(
        Set.copyOf(made).equals(new HashSet<>(listed)) && listed.size() == made.size(),
        "made were " + names(made) + " and a complete inventory lists " + names(listed),
        "list all pages of the backend's objects of this installation, or say complete=false");
    inventory.objects().forEach(object -> requireUsable(bench, object));
  }

  private static InventoryPage inventory(Bench bench) {
    InventoryPage inventory =
        Waiting.until(
            bench.descriptor().lateEffectWindow().plus(Duration.ofSeconds(1)),
            bench::inventory,
            page -> page.complete() && page.objects().size() >= SOME);
    Promise.INVENTORY.require(
        inventory.complete(),
        "the inventory of a backend that answers is not complete",
        "say complete=true on the last page once all was read");
    return inventory;
  }

  private static void requireUsable(Bench bench, InventoryPage.InventoryObject object) {
    LifeChecks.requireInspection(
        bench, object.handle(), Inspection.Running.class, "its handle is from the inventory");
    String uid = bench.waitReady(object.handle()).providerUid();
    Promise.INVENTORY.require(
        object.providerUid().equals(uid),
        "the inventory says uid " + object.providerUid() + ", waitReady says " + uid,
        "give the same provider uid everywhere");
    Promise.INVENTORY.require(
        bench.teardown(object.identity(), object.handle()).clean(),
        "what the inventory lists cannot be torn down by its handle",
        "give a handle that works like that of provision");
  }

  private static List<String> names(List<SandboxIdentity> identities) {
    return identities.stream().map(SandboxIdentity::name).sorted().toList();
  }
}
