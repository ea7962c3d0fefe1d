package dev.sandboxer.tck.sample;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.CostQuery;
import dev.sandboxer.spi.ExtensionException;
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

/** Passes every call on; a broken sample overrides what it breaks. */
class Wrapped implements SandboxExtension {
  private final SandboxExtension inner;

  Wrapped(SandboxExtension inner) {
    this.inner = inner;
  }

  @Override
  public SandboxHandle provision(ProvisionRequest request, Call call) throws ExtensionException {
    return inner.provision(request, call);
  }

  @Override
  public Reachability waitReady(SandboxHandle handle, Call call) throws ExtensionException {
    return inner.waitReady(handle, call);
  }

  @Override
  public Inspection inspect(SandboxHandle handle, Call call) throws ExtensionException {
    return inner.inspect(handle, call);
  }

  @Override
  public List<SandboxHandle> find(SandboxIdentity identity, Call call) throws ExtensionException {
    return inner.find(identity, call);
  }

  @Override
  public CleanupReport teardown(TeardownTarget target, Call call) throws ExtensionException {
    return inner.teardown(target, call);
  }

  @Override
  public InventoryPage inventory(InventoryQuery query, Call call) throws ExtensionException {
    return inner.inventory(query, call);
  }

  @Override
  public MeterQuote estimateCost(CostQuery query, Call call) throws ExtensionException {
    return inner.estimateCost(query, call);
  }

  @Override
  public void close() {
    inner.close();
  }
}
