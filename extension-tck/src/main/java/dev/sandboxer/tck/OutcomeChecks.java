package dev.sandboxer.tck;

import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import java.util.List;

/** A failure says what it left. */
final class OutcomeChecks {
  private final Benches benches;

  OutcomeChecks(Benches benches) {
    this.benches = benches;
  }

  void withoutABoxd() {
    Bench bench = benches.installation();
    if (bench.requests().hasBoxd()) {
      SandboxIdentity identity = bench.identity();
      Answer<SandboxHandle> answer = bench.tryProvision(bench.requests().withoutBoxd(identity));
      answer.refusal(
          Promise.OUTCOMES,
          "a provision for which the platform has no boxd",
          "turn the IllegalArgumentException of Daemon.binary into UNAVAILABLE");
      requireHonest(bench, identity, answer);
    }
  }

  void withABoxdThatEndsAtOnce() {
    Bench bench = benches.installation();
    if (!bench.requests().hasBoxd()) {
      return;
    }
    SandboxIdentity identity = bench.identity();
    Answer<SandboxHandle> answer = bench.tryProvision(bench.requests().withBrokenBoxd(identity));
    requireHonest(bench, identity, answer);
    SandboxHandle handle = answer.value();
    if (handle != null) {
      bench
          .tryWaitReady(handle)
          .refusal(
              Promise.READINESS,
              "a sandbox whose boxd has ended",
              "fail in waitReady as soon as the sandbox has ended");
    }
    Promise.IDEMPOTENCY.require(
        bench.teardown(identity).clean(),
        "teardown after a failed start is not clean",
        "clear by the identity whatever a failed start leaves");
    TeardownChecks.requireNoTrace(bench, identity);
  }

  /** Compares what a failed provision says with what is there. */
  static void requireHonest(Bench bench, SandboxIdentity identity, Answer<SandboxHandle> answer) {
    ExtensionException failure = answer.failure();
    if (failure == null) {
      return;
    }
    Promise.OUTCOMES.require(
        failure.getMessage() != null && !failure.getMessage().isBlank(),
        "a failure " + failure.code() + " has no message",
        "say for a person what was wrong, with what value, and what to do");
    switch (failure.outcome()) {
      case Outcome.NothingCreated _ -> requireNothing(bench, identity, failure);
      case Outcome.Created(SandboxHandle handle) ->
          Promise.OUTCOMES.require(
              !(bench.inspect(handle) instanceof Inspection.Gone),
              "the outcome is Created and inspect says Gone",
              "say NOTHING_CREATED where nothing is left");
      case Outcome.Unknown _ -> {} // to be followed up by the identity
    }
  }

  private static void requireNothing(
      Bench bench, SandboxIdentity identity, ExtensionException failure) {
    List<SandboxHandle> found = bench.find(identity);
    Promise.OUTCOMES.require(
        found.isEmpty()
            && bench.inventory().objects().stream().noneMatch(o -> o.identity().equals(identity)),
        "provision failed with " + Answer.describe(failure) + " but left " + identity.name(),
        "remove it before saying NOTHING_CREATED, or say Created(handle) or UNKNOWN");
    Promise.OUTCOMES.require(
        bench.teardown(identity).removed().isEmpty(),
        "provision said NOTHING_CREATED and teardown found something to remove",
        "remove it before saying NOTHING_CREATED, or say UNKNOWN");
  }
}
