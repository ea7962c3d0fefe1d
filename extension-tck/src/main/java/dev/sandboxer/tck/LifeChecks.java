package dev.sandboxer.tck;

import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** A sandbox from its start to its end, and what is said of it on the way. */
final class LifeChecks {
  private static final Duration SOON = Duration.ofSeconds(2);
  private static final int AT_ONCE = 3;

  private final Benches benches;

  LifeChecks(Benches benches) {
    this.benches = benches;
  }

  void isReachedInspectedAndGone() {
    Bench bench = benches.installation();
    SandboxIdentity identity = bench.identity();
    SandboxHandle handle = bench.provision(identity);
    requireServed(bench, identity, handle);
    requireInspection(bench, handle, Inspection.Running.class, "it runs");
    bench.teardown(identity, handle);
    requireInspection(bench, handle, Inspection.Gone.class, "it was torn down");
    bench
        .tryWaitReady(handle)
        .refusal(
            Promise.READINESS,
            "waitReady for a sandbox that is gone",
            "fail with CRASH or TIMEOUT where there is nothing to wait for");
  }

  /** Waits until ready, and asks boxd itself who it is. */
  static Reachability requireServed(Bench bench, SandboxIdentity identity, SandboxHandle handle) {
    Reachability reached = bench.waitReady(handle);
    Promise.READINESS.require(
        !reached.providerUid().isBlank(),
        "the provider uid is blank",
        "give the backend's own id of the sandbox");
    Promise.REFUSAL.require(
        bench.requests().bestEffort().containsAll(reached.notEnforced()),
        "not enforced are "
            + reached.notEnforced()
            + ", best effort was allowed for "
            + bench.requests().bestEffort(),
        "refuse in provision what cannot be enforced and was not allowed as best effort");
    DataplaneAddress address = reached.dataplane();
    if (!bench.requests().hasBoxd()) {
      return reached;
    }
    if (address == null) {
      throw Promise.READINESS.broken(
          "waitReady gave no dataplane address", "give it, or declare BoxdPlacement.NONE");
    }
    Promise.DESCRIPTION.require(
        bench.descriptor().nodeBound(bench.host())
            || !(address instanceof DataplaneAddress.UnixSocket),
        "the dataplane is a Unix socket and nodeBound is false",
        "declare nodeBound: no other node can reach that socket");
    requireAnswer(bench, identity, address);
    return reached;
  }

  private static void requireAnswer(
      Bench bench, SandboxIdentity identity, DataplaneAddress address) {
    String expected = "\"sandbox_id\":\"" + identity.publicId() + "\"";
    String generation = "\"generation\":" + identity.generation();
    String answer;
    try {
      answer = bench.call("health", call -> ask(address, call));
    } catch (ExtensionException | UncheckedIOException e) {
      throw Promise.READINESS.broken(
          "boxd does not answer at " + address + ": " + e,
          "return from waitReady only once the address accepts connections");
    }
    Promise.READINESS.require(
        answer.contains(expected) && answer.contains(generation),
        "at " + address + " not boxd of " + identity.name() + " answers but: " + answer.strip(),
        "give each identity an address of its own, and boxd the config of its request");
  }

  private static String ask(DataplaneAddress address, dev.sandboxer.spi.Call call)
      throws ExtensionException {
    try {
      return Health.ask(address, call);
    } catch (IOException e) {
      throw new ExtensionException(
          dev.sandboxer.spi.ErrorCode.UNAVAILABLE, Outcome.UNKNOWN, e.toString(), e);
    }
  }

  static void requireInspection(
      Bench bench, SandboxHandle handle, Class<? extends Inspection> expected, String because) {
    Inspection seen = bench.inspect(handle);
    Promise.INSPECTION.require(
        expected.isInstance(seen),
        "inspect says " + seen + ", and " + because,
        "answer " + expected.getSimpleName() + " from what the backend says");
  }

  void manyLiveSideBySide() {
    Bench bench = benches.installation();
    SandboxIdentity first = bench.identity();
    List<SandboxIdentity> identities =
        List.of(
            first,
            bench.using(
                new SandboxIdentity(
                    first.installation(), first.sandbox(), first.generation() + 1, 1)),
            bench.identity());
    List<BoundCall<SandboxHandle>> calls =
        identities.stream()
            .map(i -> bench.startProvision(bench.requests().of(i), bench.patience()))
            .toList();
    List<SandboxHandle> handles =
        calls.stream()
            .map(
                c -> Answer.of(c).orElseBreak(Promise.THREADS, "one of three provisions", "see it"))
            .toList();
    long uids =
        IntStream.range(0, AT_ONCE)
            .mapToObj(i -> requireServed(bench, identities.get(i), handles.get(i)).providerUid())
            .distinct()
            .count();
    Promise.IDENTITY.require(
        uids == AT_ONCE,
        "three identities gave " + uids + " sandboxes",
        "derive names from the whole identity: sandbox, generation and attempt");
  }

  /** boxd ends by its own hard deadline, which needs no right over its process. */
  void isSeenToEnd() {
    Bench bench = benches.installation();
    if (!bench.requests().hasBoxd()) {
      return;
    }
    SandboxIdentity identity = bench.identity();
    SandboxHandle handle =
        bench
            .tryProvision(bench.requests().of(identity, bench.requests().spec(), SOON))
            .orElseBreak(Promise.READINESS, "provision", "see its message");
    Inspection seen =
        Waiting.until(
            bench.patience(), () -> bench.inspect(handle), i -> !(i instanceof Inspection.Running));
    Promise.INSPECTION.require(
        seen instanceof Inspection.Ended,
        "boxd has ended and inspect says " + seen,
        "answer Ended with a reason while the remains are there; keep them until teardown");
    ExtensionException failed =
        bench
            .tryWaitReady(handle)
            .refusal(
                Promise.READINESS,
                "waitReady for a sandbox that has ended",
                "fail with CRASH or OOM and Outcome.Created where the sandbox has ended");
    Promise.OUTCOMES.require(
        !(failed.outcome() instanceof Outcome.NothingCreated),
        "waitReady of an ended sandbox says that nothing was created",
        "its remains are there: say Outcome.Created(handle)");
    requireReplaced(bench, identity);
  }

  private static void requireReplaced(Bench bench, SandboxIdentity identity) {
    SandboxHandle second = bench.provision(identity);
    requireServed(bench, identity, second);
    requireInspection(bench, second, Inspection.Running.class, "provision was called again");
    int found = bench.find(identity).size();
    Promise.IDEMPOTENCY.require(
        found == 1,
        "after a replaced sandbox find gives " + found,
        "remove the remains of the ended one in provision");
  }

  void refusesHandlesThatAreNotItsOwn() {
    Bench bench = benches.installation();
    for (String data : List.of("", "x", "{}", "../../etc/passwd", "name=../x\ninstallation=y\n")) {
      Answer<Inspection> answer =
          bench.attempt(
              "inspect", call -> bench.extension().inspect(SandboxHandle.of(1, data), call));
      @Nullable Inspection seen = answer.value();
      Promise.INSPECTION.require(
          seen == null || seen instanceof Inspection.Gone || seen instanceof Inspection.Unknown,
          "inspect of the handle '" + data + "' says " + seen,
          "refuse what is not a handle of yours with VALIDATION");
    }
  }

  void goesOnAfterARestart() {
    Bench before = benches.installation();
    SandboxIdentity identity = before.identity();
    SandboxHandle stored = before.provision(identity);
    Bench after = benches.restarted(before);
    after.using(identity);
    requireInspection(after, stored, Inspection.Running.class, "only the platform has restarted");
    requireServed(after, identity, stored);
    before.close();
    requireInspection(after, stored, Inspection.Running.class, "close() releases no sandbox");
    requireServed(after, identity, stored);
    Promise.ALWAYS_ALLOWED.require(
        after.teardown(identity, stored).clean(),
        "teardown after a restart left something",
        "find everything from the handle or the identity alone; keep nothing only in memory");
  }
}
