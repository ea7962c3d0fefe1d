package dev.sandboxer.bench.backend;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.CostQuery;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.MeterQuote;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.TeardownTarget;
import java.util.List;

/** Answers at once that all is done. */
final class NothingExtension implements SandboxExtension {

  @Override
  public SandboxHandle provision(ProvisionRequest request, Call call) {
    return SandboxHandle.of(1, request.identity().name());
  }

  @Override
  public Reachability waitReady(SandboxHandle handle, Call call) {
    return Reachability.withoutDataplane(handle.data());
  }

  @Override
  public Inspection inspect(SandboxHandle handle, Call call) {
    return new Inspection.Running();
  }

  @Override
  public List<SandboxHandle> find(SandboxIdentity identity, Call call) {
    return List.of();
  }

  @Override
  public CleanupReport teardown(TeardownTarget target, Call call) {
    return CleanupReport.NOTHING;
  }

  @Override
  public InventoryPage inventory(InventoryQuery query, Call call) {
    return new InventoryPage("nothing", true, List.of(), null);
  }

  @Override
  public MeterQuote estimateCost(CostQuery query, Call call) {
    return MeterQuote.free();
  }

  @Override
  public void close() {}
}
