package dev.sandboxer.tck;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.Snapshotting;
import dev.sandboxer.spi.Snapshotting.Snapshot;
import java.util.UUID;

/** Keeping a state and starting from it, where the extension declares that. */
final class SnapshotChecks {
  private static final String SEE = "see its message; Snapshotting is declared";

  private final Benches benches;

  SnapshotChecks(Benches benches) {
    this.benches = benches;
  }

  /** The second sandbox has its own identity and outlives both the first one and the snapshot. */
  void startsFromOne() {
    Bench bench = benches.installation();
    if (!(bench.extension() instanceof Snapshotting snapshots)) {
      return;
    }
    SandboxIdentity first = bench.identity();
    SandboxHandle source = served(bench, first);
    Snapshot kept = take(bench, snapshots, source);
    bench.teardown(first, source);
    SandboxIdentity second = bench.identity();
    SandboxHandle started =
        bench
            .tryProvision(bench.requests().of(second).withSnapshot(kept))
            .orElseBreak(Promise.DESCRIPTION, "provision from a snapshot", SEE);
    LifeChecks.requireServed(bench, second, started);
    remove(bench, snapshots, kept);
    LifeChecks.requireServed(bench, second, started);
  }

  private static SandboxHandle served(Bench bench, SandboxIdentity identity) {
    SandboxHandle handle = bench.provision(identity);
    LifeChecks.requireServed(bench, identity, handle);
    return handle;
  }

  private static Snapshot take(Bench bench, Snapshotting snapshots, SandboxHandle source) {
    String name = "tck-" + UUID.randomUUID();
    Snapshot first =
        bench
            .attempt("snapshot", call -> snapshots.snapshot(source, name, call))
            .orElseBreak(Promise.DESCRIPTION, "snapshot", SEE);
    Snapshot again =
        bench
            .attempt("snapshot", call -> snapshots.snapshot(source, name, call))
            .orElseBreak(Promise.IDEMPOTENCY, "a second snapshot of the same name", SEE);
    Promise.IDEMPOTENCY.require(
        first.name().equals(name) && first.providerUid().equals(again.providerUid()),
        "two snapshots of one name are " + first + " and " + again,
        "return the snapshot that exists under the name");
    return first;
  }

  private static void remove(Bench bench, Snapshotting snapshots, Snapshot kept) {
    for (String what : new String[] {"removeSnapshot", "a second removeSnapshot"}) {
      var _ =
          bench
              .attempt(
                  what,
                  call -> {
                    snapshots.removeSnapshot(kept, call);
                    return true;
                  })
              .orElseBreak(Promise.IDEMPOTENCY, what, "removing what is gone succeeds");
    }
  }

  void refusesOneThatIsGone() {
    Bench bench = benches.installation();
    if (!(bench.extension() instanceof Snapshotting snapshots)) {
      return;
    }
    Snapshot kept = take(bench, snapshots, served(bench, bench.identity()));
    remove(bench, snapshots, kept);
    SandboxIdentity second = bench.identity();
    Answer<SandboxHandle> answer =
        bench.tryProvision(bench.requests().of(second).withSnapshot(kept));
    ExtensionException refused =
        answer.refusal(
            Promise.REFUSAL,
            "a snapshot that was removed",
            "fail with VALIDATION before anything is made; never start from a new state instead");
    Promise.REFUSAL.require(
        refused.code() == ErrorCode.VALIDATION,
        "a removed snapshot was refused with " + Answer.describe(refused),
        "the code for a snapshot that is gone is VALIDATION");
    OutcomeChecks.requireHonest(bench, second, answer);
  }
}
