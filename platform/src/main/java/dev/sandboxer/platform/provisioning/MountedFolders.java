package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.dataplane.BoxdClient;
import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.mount.HostFolders;
import dev.sandboxer.platform.mount.MountRefusedException;
import dev.sandboxer.platform.profile.ProfileStore;
import dev.sandboxer.platform.profile.Setup;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.setup.SetupLayers;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.MountDelivery;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxHandle;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The host's folders of a sandbox: checked before they are mounted, and compared afterwards,
 * because a backend resolves the path a second time and may meet something else.
 */
@ApplicationScoped
class MountedFolders {

  private final HostFolders folders;
  private final SetupLayers layers;
  private final ProfileStore profiles;
  private final ExtensionRegistry registry;
  private final BoxdClient boxd;

  MountedFolders(
      HostFolders folders,
      SetupLayers layers,
      ProfileStore profiles,
      ExtensionRegistry registry,
      BoxdClient boxd) {
    this.folders = folders;
    this.layers = layers;
    this.profiles = profiles;
    this.registry = registry;
    this.boxd = boxd;
  }

  /**
   * A sandbox's folders of this machine.
   *
   * @param mounted path inside to the identity of what the backend is to mount
   * @param copied what is to be copied in
   */
  record Checked(Map<String, String> mounted, List<Mount.HostFolder> copied) {

    boolean none() {
      return mounted.isEmpty() && copied.isEmpty();
    }
  }

  Checked check(Sandbox sandbox, Attempt attempt) throws ExtensionException {
    List<Mount.HostFolder> all = folders(of(sandbox, attempt));
    List<Mount.HostFolder> copied = all.stream().filter(folder -> copied(attempt, folder)).toList();
    if (all.size() > copied.size() && !attempt.host().sameMachine()) {
      throw refused(
          attempt,
          ErrorCode.UNSUPPORTED,
          "mounts: folders of another machine cannot be mounted; 'delivery: copy' in the mount copies them");
    }
    try {
      Map<String, String> mounted =
          new LinkedHashMap<>(
              folders.check(
                  sandbox.tenantId(),
                  all.stream().filter(folder -> !layer(folder)).map(Mount.class::cast).toList()));
      for (Mount.HostFolder layer : all.stream().filter(MountedFolders::layer).toList()) {
        mounted.put(layer.mountPath(), SetupLayers.identity(Path.of(layer.hostPath())));
      }
      copied.forEach(folder -> mounted.remove(folder.mountPath()));
      return new Checked(mounted, copied);
    } catch (MountRefusedException e) {
      throw refused(attempt, ErrorCode.VALIDATION, "mounts: " + e.getMessage());
    } catch (IOException e) {
      throw refused(attempt, ErrorCode.UNAVAILABLE, "setup: the layer cannot be read: " + e);
    }
  }

  /**
   * What is mounted for an attempt. One that runs a setup has only what the layer's key says: a
   * step must not change what is the sandbox's, nor depend on it.
   */
  private List<Mount> of(Sandbox sandbox, Attempt attempt) {
    List<Mount> mounts = sandbox.spec().mounts();
    String layer = attempt.layer();
    if (layer == null) {
      return mounts;
    }
    List<Mount> all = new ArrayList<>();
    mounts.stream()
        .filter(mount -> !attempt.makesLayer() || mount instanceof Mount.Tmpfs || pinned(mount))
        .forEach(all::add);
    if (attempt.makesLayer() || delivery(attempt) == MountDelivery.COPY) {
      long size = profiles.setup(sandbox.profile()).map(Setup::sizeBytes).orElseThrow();
      all.add(new Mount.Tmpfs(size, Setup.FOLDER));
    }
    if (!attempt.makesLayer()) {
      all.add(new Mount.HostFolder(layers.folder(layer).toString(), Setup.FOLDER, false));
    }
    return all;
  }

  /** Whether a mount shows the same files whenever it is made. */
  static boolean pinned(Mount mount) {
    return mount instanceof Mount.HostFolder folder && folder.contentDigest().isPresent();
  }

  private static boolean layer(Mount.HostFolder folder) {
    return folder.mountPath().equals(Setup.FOLDER);
  }

  private static List<Mount.HostFolder> folders(List<Mount> mounts) {
    return mounts.stream()
        .filter(Mount.HostFolder.class::isInstance)
        .map(Mount.HostFolder.class::cast)
        .toList();
  }

  /** Whether a folder gets there as a copy. */
  private boolean copied(Attempt attempt, Mount.HostFolder folder) {
    return folder.delivery() == MountDelivery.COPY || delivery(attempt) == MountDelivery.COPY;
  }

  private MountDelivery delivery(Attempt attempt) {
    return registry
        .descriptor(attempt.extension().text())
        .map(can -> can.mountDelivery(attempt.host()))
        .orElse(MountDelivery.BIND);
  }

  /** Without what is copied, for its backend. */
  List<Mount> forBackend(Sandbox sandbox, Attempt attempt) {
    return of(sandbox, attempt).stream()
        .filter(mount -> !(mount instanceof Mount.HostFolder folder && copied(attempt, folder)))
        .toList();
  }

  /** An earlier run of the same attempt may have made something before it was cut off. */
  private static ExtensionException refused(Attempt attempt, ErrorCode code, String message) {
    SandboxHandle handle = attempt.handle();
    Outcome outcome = handle == null ? Outcome.UNKNOWN : new Outcome.Created(handle);
    return new ExtensionException(code, outcome, message, null);
  }

  /** Compares before the first user command, while boxd can still be believed. */
  void compare(
      Sandbox sandbox, DataplaneAddress address, SandboxHandle handle, Map<String, String> checked)
      throws ExtensionException, BoxdClient.BoxdException {
    if (checked.isEmpty()) {
      return;
    }
    Map<String, String> mounted =
        boxd.mounts(sandbox.id(), sandbox.generation(), address, checked.keySet());
    for (Map.Entry<String, String> wanted : checked.entrySet()) {
      if (!wanted.getValue().equals(mounted.get(wanted.getKey()))) {
        throw Establisher.created(
            ErrorCode.VALIDATION,
            "mounts: what is mounted at %s is not the folder that was checked: somebody has put another one in its place"
                .formatted(wanted.getKey()),
            handle,
            null);
      }
    }
  }
}
