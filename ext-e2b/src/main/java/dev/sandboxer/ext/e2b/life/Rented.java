package dev.sandboxer.ext.e2b.life;

import dev.sandboxer.ext.e2b.cloud.Access;
import dev.sandboxer.ext.e2b.cloud.Account;
import dev.sandboxer.ext.e2b.cloud.ControlPlane;
import dev.sandboxer.ext.e2b.cloud.Remote;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.CostQuery;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.IdentityLocks;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.Lifetime;
import dev.sandboxer.spi.MeterQuote;
import dev.sandboxer.spi.Probing;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.Suspendable;
import dev.sandboxer.spi.TeardownTarget;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;

/**
 * The extension interface over accounts with E2B. Thread-safe; it remembers nothing of a sandbox.
 */
public final class Rented implements SandboxExtension, Probing, Lifetime, Suspendable {

  private final ControlPlane cloud = new ControlPlane();
  private final Labels labels;
  private final Provisioning provisioning;
  private final Readiness readiness;
  private final Inspections inspections;
  private final Teardown teardown;
  private final Inventory inventory;
  private final Prices prices;
  private final InstantSource clock;
  private final IdentityLocks locks = new IdentityLocks();

  /**
   * Connects to nobody yet.
   *
   * @param context what the platform lends
   */
  public Rented(ExtensionContext context) {
    this.clock = context.clock();
    this.labels = new Labels(context);
    this.provisioning = new Provisioning(cloud, labels);
    this.readiness = new Readiness(cloud);
    this.inspections = new Inspections(cloud);
    this.teardown = new Teardown(cloud, labels);
    this.inventory = new Inventory(cloud, labels);
    this.prices = new Prices(cloud, clock);
  }

  @Override
  public SandboxHandle provision(ProvisionRequest request, Call call) throws ExtensionException {
    Requests.check(request);
    Account account = Account.of(call.host());
    return locks
        .alone(request.identity(), () -> provisioning.provision(account, request, call))
        .toHandle();
  }

  @Override
  public Reachability waitReady(SandboxHandle handle, Call call) throws ExtensionException {
    E2bHandle known = E2bHandle.of(handle);
    return readiness.await(Account.of(call.host()), known, call);
  }

  @Override
  public Inspection inspect(SandboxHandle handle, Call call) throws ExtensionException {
    E2bHandle known = E2bHandle.of(handle);
    try {
      return inspections.of(Account.of(call.host()), known, call);
    } catch (ExtensionException e) {
      return new Inspection.Unknown(String.valueOf(e.getMessage()));
    }
  }

  @Override
  public List<SandboxHandle> find(SandboxIdentity identity, Call call) throws ExtensionException {
    List<SandboxHandle> found = new ArrayList<>();
    for (Remote remote : cloud.all(Account.of(call.host()), labels.searched(identity), call)) {
      if (labels.owner(remote).filter(identity::equals).isPresent()) {
        found.add(E2bHandle.found(identity, remote.id()).toHandle());
      }
    }
    return found;
  }

  @Override
  public CleanupReport teardown(TeardownTarget target, Call call) throws ExtensionException {
    Account account = Account.of(call.host());
    return locks.alone(target.identity(), () -> teardown.of(account, target, call));
  }

  @Override
  public InventoryPage inventory(InventoryQuery query, Call call) throws ExtensionException {
    return inventory.list(Account.of(call.host()), query.cursor(), call);
  }

  @Override
  public MeterQuote estimateCost(CostQuery query, Call call) throws ExtensionException {
    return prices.quote(Account.of(call.host()), query, call);
  }

  @Override
  public Probe probe(HostRef host, Call call) {
    return new Probes(cloud, labels).of(host, call);
  }

  /** E2B sets an end both ways, so an earlier one is not asked for. */
  @Override
  public Instant extend(SandboxHandle handle, Instant until, Call call) throws ExtensionException {
    E2bHandle known = E2bHandle.of(handle);
    Account account = Account.of(call.host());
    return locks.alone(known.identity(), () -> extended(account, known, until, call));
  }

  /** It costs nothing while it is paused, and E2B ends it no more by itself. */
  @Override
  public SandboxHandle suspend(SandboxHandle handle, Call call) throws ExtensionException {
    E2bHandle known = E2bHandle.of(handle);
    Account account = Account.of(call.host());
    if (!cloud.pause(account, known.id(), call)) {
      throw gone(known);
    }
    return handle;
  }

  /** Its short life is extended as that of a new one. */
  @Override
  public Resumed resume(SandboxHandle handle, Call call) throws ExtensionException {
    E2bHandle known = E2bHandle.of(handle);
    Account account = Account.of(call.host());
    Access access =
        cloud
            .connect(account, known.id(), Provisioning.SHORT_LIFE, call)
            .orElseThrow(() -> gone(known));
    E2bHandle resumed = E2bHandle.of(known.identity(), access);
    return new Resumed(resumed.toHandle(), readiness.await(account, resumed, call));
  }

  private Instant extended(Account account, E2bHandle known, Instant until, Call call)
      throws ExtensionException {
    Remote remote = live(account, known, call);
    if (!remote.endAt().isBefore(until)) {
      return remote.endAt();
    }
    Duration life = Duration.between(clock.instant(), until).plusSeconds(1);
    cloud.setTimeout(account, known.id(), life, call);
    return live(account, known, call).endAt();
  }

  private Remote live(Account account, E2bHandle known, Call call) throws ExtensionException {
    return cloud.get(account, known.id(), call).orElseThrow(() -> gone(known));
  }

  private static ExtensionException gone(E2bHandle known) {
    return new ExtensionException(
        ErrorCode.CRASH, "E2B has no sandbox %s any more".formatted(known.id()));
  }

  @Override
  public void close() {
    cloud.close();
  }
}
