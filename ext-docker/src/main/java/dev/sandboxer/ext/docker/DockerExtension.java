package dev.sandboxer.ext.docker;

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
import dev.sandboxer.spi.RootFileSystems;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.Suspendable;
import dev.sandboxer.spi.TeardownTarget;
import dev.sandboxer.spi.VolumeInfo;
import dev.sandboxer.spi.Volumes;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** The extension interface over Engines and the sandboxes' folders. Thread-safe. */
final class DockerExtension
    implements SandboxExtension, Probing, RootFileSystems, Suspendable, Volumes {

  private final Engines engines;
  private final Containers containers;
  private final Images images;
  private final Provisioning provisioning;
  private final Readiness readiness;
  private final Inspections inspections;
  private final Suspension suspension;
  private final Teardown teardown;
  private final Inventory inventory;
  private final Probes probes;
  private final EngineVolumes volumes;

  /** For all Engines: an identity belongs to one. */
  private final IdentityLocks locks = new IdentityLocks();

  private DockerExtension(
      ExtensionContext context,
      DockerConfig config,
      Engines engines,
      Labels labels,
      FolderRoots roots) {
    this.engines = engines;
    this.images =
        new Images(config, new PrivateImages(context.stateFolder().resolve("private-images")));
    this.containers = new Containers(labels);
    HostBoxd boxd = new HostBoxd(context);
    this.volumes =
        new EngineVolumes(context, engines, labels, boxd, config.socketVolume().isPresent());
    VolumeMounts mounts = new VolumeMounts(context, volumes, boxd);
    this.inventory = new Inventory(context, engines, labels, containers, roots);
    this.provisioning =
        new Provisioning(
            engines,
            new Plans(
                roots,
                new Places(config.socketVolume()),
                new CarriedBoxd(engines, context.clock())),
            roots,
            containers,
            new ContainerSpecs(labels, Seccomp.load()),
            new HostFolders(engines, roots.base()),
            mounts);
    this.readiness = new Readiness(engines, roots);
    this.inspections = new Inspections(engines, containers);
    this.suspension = new Suspension(engines, containers);
    this.teardown = new Teardown(engines, containers, roots, mounts);
    this.probes =
        new Probes(engines, new Trial(context, engines, provisioning, readiness, teardown));
  }

  static DockerExtension create(DockerConfig config, ExtensionContext context) {
    Engines engines = new Engines(config.socket(), config.timeout());
    Labels labels = new Labels(context);
    Path base =
        config
            .socketVolume()
            .map(volume -> volume.mountedAt().resolve(context.installation().substring(0, 8)))
            .orElseGet(context::runFolder);
    return new DockerExtension(context, config, engines, labels, new FolderRoots(base));
  }

  @Override
  public SandboxHandle provision(ProvisionRequest request, Call call) throws ExtensionException {
    String image = Requests.check(request);
    return locks
        .alone(
            request.identity(),
            () ->
                provisioning.provision(
                    request, engine -> images.resolve(engine, image, request, call), call))
        .toHandle();
  }

  @Override
  public Reachability waitReady(SandboxHandle handle, Call call) throws ExtensionException {
    return readiness.await(DockerHandle.of(handle), call);
  }

  @Override
  public Inspection inspect(SandboxHandle handle, Call call) throws ExtensionException {
    return inspections.inspect(DockerHandle.of(handle), call);
  }

  @Override
  public SandboxHandle suspend(SandboxHandle handle, Call call) throws ExtensionException {
    suspension.suspend(DockerHandle.of(handle), call);
    return handle;
  }

  @Override
  public Resumed resume(SandboxHandle handle, Call call) throws ExtensionException {
    DockerHandle known = DockerHandle.of(handle);
    suspension.resume(known, call);
    return new Resumed(handle, readiness.await(known, call));
  }

  @Override
  public List<SandboxHandle> find(SandboxIdentity identity, Call call) throws ExtensionException {
    try (Engine engine = engines.within(call)) {
      Optional<String> container =
          containers
              .named(engine, identity)
              .filter(found -> containers.ours(identity, found))
              .map(found -> found.getId());
      return container.map(id -> new DockerHandle(identity, id, Set.of()).toHandle()).stream()
          .toList();
    }
  }

  @Override
  public CleanupReport teardown(TeardownTarget target, Call call) throws ExtensionException {
    return locks.alone(target.identity(), () -> teardown.of(target.identity(), call));
  }

  @Override
  public InventoryPage inventory(InventoryQuery query, Call call) throws ExtensionException {
    return inventory.list(call);
  }

  @Override
  public MeterQuote estimateCost(CostQuery query, Call call) {
    return MeterQuote.free();
  }

  @Override
  public Probe probe(HostRef host, Call call) {
    return probes.probe(call);
  }

  @Override
  public String rootDigest(ProvisionRequest request, Call call) throws ExtensionException {
    String image = Requests.check(request);
    try (Engine engine = engines.within(call)) {
      return images.resolve(engine, image, request, call).id();
    }
  }

  @Override
  public void ensureVolume(HostRef host, String name, long sizeBytes, Call call)
      throws ExtensionException {
    volumes.ensure(name, sizeBytes, call);
  }

  @Override
  public void removeVolume(HostRef host, String name, Call call) throws ExtensionException {
    volumes.remove(name, call);
  }

  @Override
  public Optional<VolumeInfo> inspectVolume(HostRef host, String name, Call call)
      throws ExtensionException {
    return volumes.inspect(name, call);
  }

  @Override
  public List<VolumeInfo> volumes(HostRef host, Call call) throws ExtensionException {
    return volumes.list(call);
  }

  @Override
  public void close() {
    engines.close();
  }
}
