package dev.sandboxer.tck;

import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.Suspendable;

/** Suspending and resuming, where the extension implements it. */
final class SuspendChecks {
  private static final String SEE = "see its message; Suspendable is implemented";

  private final Benches benches;

  SuspendChecks(Benches benches) {
    this.benches = benches;
  }

  /** Each call is made twice, as a platform does that was killed between them. */
  void suspendsAndResumes() {
    Bench bench = benches.installation();
    if (!(bench.extension() instanceof Suspendable suspendable)) {
      return;
    }
    SandboxIdentity identity = bench.identity();
    SandboxHandle handle = bench.provision(identity);
    LifeChecks.requireServed(bench, identity, handle);
    handle = suspend(bench, suspendable, handle);
    handle = suspend(bench, suspendable, handle);
    LifeChecks.requireInspection(bench, handle, Inspection.Suspended.class, "it was suspended");
    handle = resume(bench, suspendable, handle);
    handle = resume(bench, suspendable, handle);
    LifeChecks.requireInspection(bench, handle, Inspection.Running.class, "it was resumed");
    LifeChecks.requireServed(bench, identity, handle);
  }

  void tearsDownWhatIsSuspended() {
    Bench bench = benches.installation();
    if (!(bench.extension() instanceof Suspendable suspendable)) {
      return;
    }
    SandboxIdentity identity = bench.identity();
    SandboxHandle made = bench.provision(identity);
    LifeChecks.requireServed(bench, identity, made);
    SandboxHandle suspended = suspend(bench, suspendable, made);
    bench.teardown(identity, suspended);
    LifeChecks.requireInspection(bench, suspended, Inspection.Gone.class, "it was torn down");
  }

  private static SandboxHandle suspend(Bench bench, Suspendable suspendable, SandboxHandle handle) {
    return bench
        .attempt("suspend", call -> suspendable.suspend(handle, call))
        .orElseBreak(Promise.IDEMPOTENCY, "suspend", SEE);
  }

  private static SandboxHandle resume(Bench bench, Suspendable suspendable, SandboxHandle handle) {
    return bench
        .attempt("resume", call -> suspendable.resume(handle, call))
        .orElseBreak(Promise.IDEMPOTENCY, "resume", SEE)
        .handle();
  }
}
