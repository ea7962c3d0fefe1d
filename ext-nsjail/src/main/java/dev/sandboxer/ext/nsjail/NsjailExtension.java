package dev.sandboxer.ext.nsjail;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.CostQuery;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionConfig;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.InventoryPage;
import dev.sandboxer.spi.InventoryQuery;
import dev.sandboxer.spi.MeterQuote;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.Probing;
import dev.sandboxer.spi.Progress;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Reachability;
import dev.sandboxer.spi.RootFileSystems;
import dev.sandboxer.spi.SandboxExtension;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import dev.sandboxer.spi.TeardownTarget;
import dev.sandboxer.spi.VolumeInfo;
import dev.sandboxer.spi.Volumes;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** The extension interface over the launcher and the jails' folders. Stateless and thread-safe. */
final class NsjailExtension implements SandboxExtension, Probing, RootFileSystems, Volumes {

  private static final System.Logger LOG = System.getLogger(NsjailExtension.class.getName());

  private final JailFolders folders;
  private final LaunchSpecs specs;
  private final Launcher launcher;
  private final Teardown teardown;
  private final JailVolumes volumes;
  private final Images images;

  private NsjailExtension(
      JailFolders folders,
      LaunchSpecs specs,
      Launcher launcher,
      Teardown teardown,
      JailVolumes volumes,
      Images images) {
    this.folders = folders;
    this.specs = specs;
    this.launcher = launcher;
    this.teardown = teardown;
    this.volumes = volumes;
    this.images = images;
  }

  static NsjailExtension create(ExtensionConfig config, ExtensionContext context)
      throws ExtensionException {
    JailFolders folders = new JailFolders(context);
    Path boxd = Launcher.binary(context);
    Launcher launcher = new Launcher(boxd);
    NsjailPath nsjail = new NsjailPath(context);
    JailVolumes volumes = new JailVolumes(context, launcher);
    Images images =
        new Images(
            ImageConfig.of(config, context.stateFolder()), boxd.resolveSibling("images"), context);
    return new NsjailExtension(
        folders,
        new LaunchSpecs(context, folders, volumes, images, nsjail),
        launcher,
        new Teardown(folders, launcher),
        volumes,
        images);
  }

  @Override
  public SandboxHandle provision(ProvisionRequest request, Call call) throws ExtensionException {
    folders.refuseForeign(request.identity());
    String spec = specs.of(request, call);
    JailState jail = JailState.of(launcher.launch(spec, call));
    call.progress(new Progress("jail_started", Map.of("init", jail.init().toString())));
    LOG.log(
        System.Logger.Level.INFO,
        "jail started name={0} init={1} not_enforced={2}",
        jail.identity().name(),
        jail.init(),
        jail.notEnforced());
    return jail.handle();
  }

  /** Nothing to wait for: the launcher returns once boxd has answered. */
  @Override
  public Reachability waitReady(SandboxHandle handle, Call call) throws ExtensionException {
    JailState jail = folders.require(handle);
    if (!jail.running()) {
      Inspection.Ended end = jail.end();
      throw new ExtensionException(
          end.reason(),
          new Outcome.Created(handle),
          "the sandbox ended before it was used: " + end.detail(),
          null);
    }
    return Reachability.at(new DataplaneAddress.UnixSocket(jail.socket()), jail.providerUid())
        .withNotEnforced(jail.notEnforced());
  }

  @Override
  public Inspection inspect(SandboxHandle handle, Call call) throws ExtensionException {
    return folders.inspect(handle);
  }

  @Override
  public List<SandboxHandle> find(SandboxIdentity identity, Call call) throws ExtensionException {
    return folders.load(identity).map(JailState::handle).stream().toList();
  }

  @Override
  public CleanupReport teardown(TeardownTarget target, Call call) throws ExtensionException {
    return teardown.of(target.identity(), call);
  }

  @Override
  public InventoryPage inventory(InventoryQuery query, Call call) throws ExtensionException {
    images.sweepAtTimes();
    return folders.inventory();
  }

  @Override
  public MeterQuote estimateCost(CostQuery query, Call call) {
    return MeterQuote.free();
  }

  @Override
  public Probe probe(HostRef host, Call call) {
    try {
      return Probes.of(launcher.probe(specs.nsjail(), call), images.summary());
    } catch (ExtensionException e) {
      ErrorCode code = e.code();
      Check failed = new Check("jail", false, code + ": " + e.getMessage(), null);
      return new Probe(false, Set.of(), List.of(failed));
    }
  }

  @Override
  public String rootDigest(ProvisionRequest request, Call call) throws ExtensionException {
    String image = request.spec().image();
    return image == null
        ? HostRoot.digest()
        : images.resolve(image, request, call).getFileName().toString();
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
    return volumes.list();
  }

  @Override
  public void close() {
    launcher.close();
  }
}
