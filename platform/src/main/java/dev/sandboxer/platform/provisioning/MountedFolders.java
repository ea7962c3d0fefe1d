package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.dataplane.BoxdClient;
import dev.sandboxer.platform.mount.HostFolders;
import dev.sandboxer.platform.mount.MountRefusedException;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxHandle;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Map;

/**
 * The host's folders of a sandbox: checked before they are mounted, and compared afterwards,
 * because a backend resolves the path a second time and may meet something else.
 */
@ApplicationScoped
class MountedFolders {

  private final HostFolders folders;
  private final BoxdClient boxd;

  MountedFolders(HostFolders folders, BoxdClient boxd) {
    this.folders = folders;
    this.boxd = boxd;
  }

  /** Path inside to the identity of what is to be mounted there; empty without host folders. */
  Map<String, String> check(Sandbox sandbox, Attempt attempt) throws ExtensionException {
    List<Mount> mounts = sandbox.spec().mounts();
    if (mounts.stream().noneMatch(Mount.HostFolder.class::isInstance)) {
      return Map.of();
    }
    if (!attempt.host().sameMachine()) {
      throw refused(
          attempt,
          ErrorCode.UNSUPPORTED,
          "mounts: folders of another machine cannot be mounted yet");
    }
    try {
      return folders.check(String.valueOf(sandbox.tenantId()), mounts);
    } catch (MountRefusedException e) {
      throw refused(attempt, ErrorCode.VALIDATION, "mounts: " + e.getMessage());
    }
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
