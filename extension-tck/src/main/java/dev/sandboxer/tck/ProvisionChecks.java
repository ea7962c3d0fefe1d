package dev.sandboxer.tck;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import java.util.List;
import java.util.stream.Stream;

/** One identity, one sandbox. */
final class ProvisionChecks {
  private static final int AT_ONCE = 4;
  private static final String ONE =
      "look for the identity's object before making one, and make it under a name or label that"
          + " only one can have";

  private final Benches benches;

  ProvisionChecks(Benches benches) {
    this.benches = benches;
  }

  void twiceIsOneSandbox() {
    Bench bench = benches.installation();
    SandboxIdentity identity = bench.identity();
    requireOne(bench, identity, List.of(bench.provision(identity), bench.provision(identity)));
  }

  void atOnceIsOneSandbox() {
    Bench bench = benches.installation();
    SandboxIdentity identity = bench.identity();
    ProvisionRequest request = bench.requests().of(identity);
    List<BoundCall<SandboxHandle>> calls =
        Stream.generate(() -> bench.startProvision(request, bench.patience()))
            .limit(AT_ONCE)
            .toList();
    List<SandboxHandle> handles =
        calls.stream()
            .map(
                call ->
                    Answer.of(call)
                        .orElseBreak(
                            Promise.IDEMPOTENCY,
                            "one of " + AT_ONCE + " provisions of one identity at once",
                            "let a second call wait for the first, and return its handle"))
            .toList();
    requireOne(bench, identity, handles);
  }

  void againAfterARestartIsOneSandbox() {
    Bench before = benches.installation();
    SandboxIdentity identity = before.identity();
    SandboxHandle first = before.provision(identity);
    Bench after = benches.restarted(before);
    requireOne(after, identity, List.of(first, after.provision(identity)));
  }

  private static void requireOne(
      Bench bench, SandboxIdentity identity, List<SandboxHandle> handles) {
    List<String> uids =
        handles.stream().map(h -> bench.waitReady(h).providerUid()).distinct().toList();
    Promise.IDEMPOTENCY.require(uids.size() == 1, "one identity has the sandboxes " + uids, ONE);
    int found = bench.find(identity).size();
    Promise.IDEMPOTENCY.require(found == 1, "find gives " + found + " handles", ONE);
    long listed =
        bench.inventory().objects().stream().filter(o -> o.identity().equals(identity)).count();
    Promise.IDEMPOTENCY.require(
        listed == 1, "the inventory has the identity " + listed + " times", ONE);
  }

  /** Each request of the suite has a login that is of no use. */
  void keepsNoLogin() {
    Bench bench = benches.installation();
    SandboxHandle handle = bench.provision(bench.identity());
    String secret = handle.secret() == null ? "" : new String(handle.secret(), UTF_8);
    Promise.REGISTRY_LOGINS.require(
        !(handle.data() + secret).contains(Requests.LOGIN.password()),
        "the handle holds the password of a registry",
        "use the login for the fetch alone, and keep it nowhere");
  }

  void isSigned() {
    Bench bench = benches.installation();
    SandboxIdentity identity = bench.identity();
    bench.provision(identity);
    Promise.IDENTITY.require(
        bench.context().signed().contains(identity),
        "provision did not ask for a signature of its identity",
        "put ExtensionContext.sign(identity) on every object as a label");
  }

  void isFoundByIdentityAlone() {
    Bench bench = benches.installation();
    SandboxIdentity identity = bench.identity();
    SandboxHandle handle = bench.provision(identity);
    String uid = bench.waitReady(handle).providerUid();
    Bench after = benches.restarted(bench);
    List<SandboxHandle> found =
        Waiting.until(
            bench.descriptor().lateEffectWindow(), () -> after.find(identity), f -> !f.isEmpty());
    Promise.IDENTITY.require(
        found.size() == 1 && after.waitReady(found.getFirst()).providerUid().equals(uid),
        "find after a restart gives " + found + " for the sandbox " + uid,
        "find the object by its name or labels, not by memory");
    SandboxIdentity other =
        new SandboxIdentity(identity.installation(), identity.sandbox(), identity.generation(), 2);
    for (SandboxIdentity unknown : List.of(other, bench.identity())) {
      Promise.IDENTITY.require(
          after.find(unknown).isEmpty(),
          "find gives something for " + unknown.name() + ", which was never made",
          "compare the whole identity");
    }
  }
}
