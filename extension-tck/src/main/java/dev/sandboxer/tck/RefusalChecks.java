package dev.sandboxer.tck;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionDescriptor;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.MountDelivery;
import dev.sandboxer.spi.Network;
import dev.sandboxer.spi.NetworkMode;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.SandboxSpec;
import dev.sandboxer.spi.Snapshotting.Snapshot;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** What is not declared is refused, never dropped. */
final class RefusalChecks {
  private static final Duration LONG = Duration.ofMinutes(10);

  private final Benches benches;

  RefusalChecks(Benches benches) {
    this.benches = benches;
  }

  void ofUndeclaredIsolation() {
    Bench bench = benches.installation();
    Set<IsolationLevel> undeclared = EnumSet.allOf(IsolationLevel.class);
    undeclared.removeAll(bench.descriptor().isolationLevels());
    undeclared.forEach(
        level -> requireRefused(bench, bench.requests().spec(level), "isolation " + level));
  }

  void ofUndeclaredNetwork() {
    Bench bench = benches.installation();
    Set<NetworkMode> undeclared = EnumSet.allOf(NetworkMode.class);
    undeclared.removeAll(bench.descriptor().networkModes());
    undeclared.forEach(
        mode ->
            requireRefused(
                bench, bench.requests().spec(new Network(mode, List.of())), "network " + mode));
  }

  void ofUndeclaredVolumes() {
    Bench bench = benches.installation();
    if (bench.descriptor().persistence(bench.host()) == ExtensionDescriptor.Persistence.NONE) {
      Mount volume = new Mount.Volume("tck", "/data", true);
      requireRefused(bench, bench.requests().spec(volume), "a volume");
    }
  }

  void ofFoldersThatItDoesNotBind() {
    Bench bench = benches.installation();
    if (bench.descriptor().mountDelivery(bench.host()) == MountDelivery.COPY) {
      String folder = benches.environment().folder().toString();
      requireRefused(
          bench, bench.requests().spec(new Mount.HostFolder(folder, "/data", false)), "a folder");
    }
  }

  void ofOptionsWithoutASchema() {
    Bench bench = benches.installation();
    if (bench.descriptor().optionsSchema() == null) {
      SandboxSpec spec = bench.requests().spec();
      requireRefused(bench, spec.toBuilder().options(Map.of("tck", true)).build(), "options.tck");
    }
  }

  void ofUndeclaredSnapshots() {
    Bench bench = benches.installation();
    if (bench.descriptor().persistence() != ExtensionDescriptor.Persistence.SNAPSHOTS) {
      SandboxIdentity identity = bench.identity();
      Snapshot none = new Snapshot("tck", "tck", -1);
      requireRefused(bench, bench.requests().of(identity).withSnapshot(none), "a snapshot");
    }
  }

  void ofLimitsThatNothingEnforces() {
    Bench bench = benches.installation();
    Set<Limit> unenforced = EnumSet.allOf(Limit.class);
    unenforced.removeAll(bench.descriptor().limits());
    for (Limit limit : unenforced) {
      Set<Limit> others = EnumSet.copyOf(bench.requests().bestEffort());
      others.remove(limit);
      requireRefused(bench, bench.requests().spec(others), "limit " + limit);
    }
    SandboxIdentity identity = bench.identity();
    SandboxHandle handle = bench.provision(identity);
    Reachability reached = LifeChecks.requireServed(bench, identity, handle);
    Promise.REFUSAL.require(
        reached.notEnforced().containsAll(unenforced),
        "not declared are " + unenforced + ", and waitReady reports " + reached.notEnforced(),
        "name in Reachability.notEnforced() what was allowed as best effort and is not enforced");
  }

  private static void requireRefused(Bench bench, SandboxSpec spec, String what) {
    requireRefused(bench, bench.requests().of(bench.identity(), spec, LONG), what);
  }

  private static void requireRefused(Bench bench, ProvisionRequest request, String what) {
    Answer<SandboxHandle> answer = bench.tryProvision(request);
    ExtensionException refused =
        answer.refusal(
            Promise.REFUSAL,
            what + ", which the descriptor does not declare,",
            "fail with UNSUPPORTED before anything is made, or declare and enforce it");
    Promise.REFUSAL.require(
        refused.code() == ErrorCode.UNSUPPORTED,
        what + " was refused with " + Answer.describe(refused),
        "the code for what is not declared is UNSUPPORTED");
    OutcomeChecks.requireHonest(bench, request.identity(), answer);
  }
}
