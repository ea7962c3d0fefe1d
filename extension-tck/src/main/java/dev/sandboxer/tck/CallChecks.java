package dev.sandboxer.tck;

import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.TeardownTarget;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/** Calls end when they are told to. {@link BoundCall} fails those that do not. */
final class CallChecks {
  private static final Duration SHORT = Duration.ofMillis(300);

  private final Benches benches;

  CallChecks(Benches benches) {
    this.benches = benches;
  }

  /** Each method is called with no time left; it may succeed or fail, but must end. */
  void endWhenTheyAreCancelled() {
    Bench bench = benches.installation();
    SandboxIdentity identity = bench.identity();
    SandboxHandle handle = bench.provision(identity);
    SandboxIdentity other = bench.identity();
    calls(bench.extension(), identity, handle)
        .forEach((name, body) -> Answer.of(bench.start(name, Duration.ZERO, body)));
    Answer.of(bench.startProvision(bench.requests().of(other), Duration.ZERO));
  }

  private Map<String, BoundCall.Body<?>> calls(
      SandboxExtension extension, SandboxIdentity identity, SandboxHandle handle) {
    InventoryQuery query = new InventoryQuery(benches.environment().host(), null);
    Map<String, BoundCall.Body<?>> calls = new LinkedHashMap<>();
    calls.put("waitReady", call -> extension.waitReady(handle, call));
    calls.put("inspect", call -> extension.inspect(handle, call));
    calls.put("find", call -> extension.find(identity, call));
    calls.put("inventory", call -> extension.inventory(query, call));
    calls.put(
        "teardown", call -> extension.teardown(new TeardownTarget.ByIdentity(identity), call));
    return calls;
  }

  /** A boxd that never answers leaves something to wait for, and a deadline ends the wait. */
  void endAtTheirDeadline() {
    Bench bench = benches.installation();
    if (!bench.requests().hasBoxd()) {
      return;
    }
    SandboxIdentity identity = bench.identity();
    Answer<SandboxHandle> made =
        Answer.of(bench.startProvision(bench.requests().withBrokenBoxd(identity), SHORT));
    SandboxHandle handle = made.value();
    if (handle != null) {
      Answer.of(bench.start("waitReady", SHORT, call -> bench.extension().waitReady(handle, call)));
    }
  }
}
