package dev.sandboxer.ext.compose.life;

import dev.sandboxer.ext.compose.host.Machine;
import dev.sandboxer.ext.compose.host.Machines;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.CostQuery;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.IdentityLocks;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.MeterQuote;
import dev.sandboxer.spi.Probing;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.TeardownTarget;
import dev.sandboxer.spi.image.ImagePolicy;
import java.time.InstantSource;
import java.util.List;

/** The extension interface over machines. Thread-safe; it remembers nothing of a sandbox. */
public final class Projects implements SandboxExtension, Probing {

  /** The option of a profile that stands for an archive. */
  public static final String PROJECT = Provisioning.PROJECT;

  private final Machines machines;
  private final Labels labels;
  private final Provisioning provisioning;
  private final Readiness readiness;
  private final Teardown teardown;
  private final InstantSource clock;
  private final IdentityLocks locks = new IdentityLocks();

  /**
   * Connects to nobody yet.
   *
   * @param context what the platform lends
   * @param images which may be used, and when they are fetched
   */
  public Projects(ExtensionContext context, ImagePolicy images) {
    this.clock = context.clock();
    this.machines = new Machines(context.installation());
    this.labels = new Labels(context);
    this.teardown = new Teardown(labels);
    this.provisioning = new Provisioning(images, labels, teardown);
    this.readiness = new Readiness(labels);
  }

  @Override
  public SandboxHandle provision(ProvisionRequest request, Call call) throws ExtensionException {
    Requests.check(request);
    Machine machine = machines.of(call);
    return locks
        .alone(request.identity(), () -> provisioning.provision(machine, request, call))
        .toHandle();
  }

  @Override
  public Reachability waitReady(SandboxHandle handle, Call call) throws ExtensionException {
    SandboxIdentity identity = ComposeHandle.of(handle).identity();
    return readiness.await(machines.of(call), identity, call);
  }

  @Override
  public Inspection inspect(SandboxHandle handle, Call call) throws ExtensionException {
    SandboxIdentity identity = ComposeHandle.of(handle).identity();
    try {
      return Inspections.of(Listing.of(machines.of(call), labels, identity), identity);
    } catch (ExtensionException e) {
      return new Inspection.Unknown(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public List<SandboxHandle> find(SandboxIdentity identity, Call call) throws ExtensionException {
    boolean there =
        Listing.of(machines.of(call), labels, identity).of(identity).findAny().isPresent();
    return there ? List.of(new ComposeHandle(identity).toHandle()) : List.of();
  }

  @Override
  public CleanupReport teardown(TeardownTarget target, Call call) throws ExtensionException {
    Machine machine = machines.of(call);
    return locks.alone(target.identity(), () -> teardown.of(machine, target.identity()));
  }

  @Override
  public InventoryPage inventory(InventoryQuery query, Call call) throws ExtensionException {
    return Inventory.list(machines.of(call), labels);
  }

  @Override
  public MeterQuote estimateCost(CostQuery query, Call call) {
    return MeterQuote.free();
  }

  @Override
  public Probe probe(HostRef host, Call call) {
    try {
      return Probes.of(machines.of(call), clock);
    } catch (ExtensionException e) {
      return Probes.unusable(e);
    }
  }

  @Override
  public void close() {
    machines.close();
  }
}
