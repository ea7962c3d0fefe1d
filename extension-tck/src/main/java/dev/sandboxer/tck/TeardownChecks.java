package dev.sandboxer.tck;

import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.TeardownTarget;
import java.time.Duration;
import java.util.List;

/** What is torn down is gone, and nothing else. */
final class TeardownChecks {
  private static final List<Duration> MOMENTS =
      List.of(0, 1, 5, 20, 60, 150, 400).stream().map(Duration::ofMillis).toList();
  private static final String ALL =
      "remove every part and report clean only after the backend was seen without any of them";

  private final Benches benches;

  TeardownChecks(Benches benches) {
    this.benches = benches;
  }

  void byHandleRemovesEverything() {
    Bench bench = benches.installation();
    SandboxIdentity identity = bench.identity();
    SandboxHandle handle = bench.provision(identity);
    requireRemoved(bench, identity, handle, bench.teardown(identity, handle));
    requireNothing(bench.teardown(identity, handle));
  }

  void byIdentityRemovesEverything() {
    Bench before = benches.installation();
    SandboxIdentity identity = before.identity();
    SandboxHandle handle = before.provision(identity);
    Bench bench = benches.restarted(before);
    requireRemoved(bench, identity, handle, bench.teardown(identity));
    requireNothing(bench.teardown(identity));
  }

  void ofWhatNeverWasIsClean() {
    Bench bench = benches.installation();
    requireNothing(bench.teardown(bench.identity()));
  }

  private static void requireRemoved(
      Bench bench, SandboxIdentity identity, SandboxHandle handle, CleanupReport report) {
    Promise.IDEMPOTENCY.require(report.clean(), "teardown left " + report.left(), ALL);
    Promise.IDEMPOTENCY.require(
        !report.removed().isEmpty(),
        "teardown of a running sandbox reports nothing as removed",
        "name the provider uids of what was removed");
    requireNoTrace(bench, identity);
    LifeChecks.requireInspection(bench, handle, Inspection.Gone.class, "teardown was clean");
  }

  static void requireNoTrace(Bench bench, SandboxIdentity identity) {
    List<SandboxHandle> found = bench.find(identity);
    Promise.IDEMPOTENCY.require(found.isEmpty(), "after a clean teardown find gives " + found, ALL);
    Promise.IDEMPOTENCY.require(
        bench.inventory().objects().stream().noneMatch(o -> o.identity().equals(identity)),
        "after a clean teardown the inventory still has " + identity.name(),
        ALL);
  }

  private static void requireNothing(CleanupReport report) {
    Promise.IDEMPOTENCY.require(
        report.clean() && report.removed().isEmpty(),
        "teardown of what is gone says " + report,
        "answer CleanupReport.NOTHING where nothing was there");
  }

  /** Provision is cancelled at several moments; whatever it left must be found by its identity. */
  void clearsWhatAHalfDoneProvisionLeft() {
    Bench bench = benches.installation();
    for (Duration moment : MOMENTS) {
      SandboxIdentity identity = bench.identity();
      BoundCall<SandboxHandle> call = bench.startProvision(bench.requests().of(identity), moment);
      Answer<SandboxHandle> answer = Answer.of(call);
      OutcomeChecks.requireHonest(bench, identity, answer);
      boolean late = mayGoOn(answer);
      String left =
          Waiting.until(bench.patience(), () -> leftBy(bench, identity, late), String::isEmpty);
      Promise.IDEMPOTENCY.require(
          left.isEmpty(),
          "teardown after a provision cancelled at " + moment.toMillis() + " ms left " + left,
          "clear by the identity whatever a half-done provision leaves");
      if (!late) {
        requireNoTrace(bench, identity);
      }
    }
  }

  /** Of an unknown outcome: what the backend was still doing may come after a clean teardown. */
  private static boolean mayGoOn(Answer<?> answer) {
    ExtensionException failure = answer.failure();
    return failure != null && failure.outcome() instanceof Outcome.Unknown;
  }

  /** Empty if nothing. */
  private static String leftBy(Bench bench, SandboxIdentity identity, boolean late) {
    CleanupReport report = bench.teardown(identity);
    if (!report.clean()) {
      return report.left().toString();
    }
    return late && hasTrace(bench, identity) ? identity.name() : "";
  }

  private static boolean hasTrace(Bench bench, SandboxIdentity identity) {
    return !bench.find(identity).isEmpty()
        || bench.inventory().objects().stream().anyMatch(o -> o.identity().equals(identity));
  }

  void leavesAnotherInstallationAlone() {
    Bench ours = benches.installation();
    Bench theirs = benches.installation();
    SandboxIdentity identity = theirs.identity();
    SandboxHandle handle = theirs.provision(identity);
    requireUntouched(ours, theirs, identity, handle, "of another installation");
  }

  /** A label that this installation did not sign is as foreign as another installation's. */
  void leavesWhatIsNotSignedAlone() {
    Bench ours = benches.installation();
    Bench forger = benches.forger(ours);
    SandboxIdentity identity = forger.identity();
    SandboxHandle handle = forger.provision(identity);
    requireUntouched(ours, forger, identity, handle, "with a wrong signature");
    Answer<SandboxHandle> adopted =
        ours.attempt(
            "provision", call -> ours.extension().provision(ours.requests().of(identity), call));
    SandboxHandle taken = adopted.value();
    if (taken != null) {
      Reachability reached = ours.tryWaitReady(taken).value();
      String foreign = forger.waitReady(handle).providerUid();
      Promise.FOREIGN_OBJECTS.require(
          reached != null && !reached.providerUid().equals(foreign),
          "provision took over an object with a wrong signature",
          "verify the signature before an object is adopted; fail where its name is taken");
      ours.using(identity);
    }
    requireLives(forger, handle, "with a wrong signature");
  }

  private static void requireUntouched(
      Bench ours, Bench owner, SandboxIdentity identity, SandboxHandle handle, String what) {
    Promise.FOREIGN_OBJECTS.require(
        ours.inventory().objects().stream().noneMatch(o -> o.identity().equals(identity)),
        "the inventory lists an object " + what,
        "list only objects whose label ExtensionContext.verify accepts");
    for (TeardownTarget target :
        List.of(
            new TeardownTarget.ByIdentity(identity),
            new TeardownTarget.ByHandle(identity, handle))) {
      CleanupReport report = ours.tryTeardown(target).value(); // a typed refusal is good as well
      requireLives(owner, handle, what);
      Promise.FOREIGN_OBJECTS.require(
          report == null || report.removed().isEmpty(),
          "teardown says that it removed an object " + what,
          "report as removed only what was removed");
    }
  }

  private static void requireLives(Bench owner, SandboxHandle handle, String what) {
    Inspection seen = owner.inspect(handle);
    Promise.FOREIGN_OBJECTS.require(
        seen instanceof Inspection.Running,
        "an object " + what + " was touched: its owner now sees " + seen,
        "verify the signature on the object before anything is changed or removed");
  }
}
