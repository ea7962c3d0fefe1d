package dev.sandboxer.ext.compose.life;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.NetworkMode;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.SandboxSpec;
import java.util.ArrayList;
import java.util.List;

/** Refuses what a project cannot be. */
final class Requests {

  private Requests() {}

  static void check(ProvisionRequest request) throws ExtensionException {
    SandboxSpec spec = request.spec();
    List<String> refused = new ArrayList<>();
    if (spec.isolation() != IsolationLevel.CONTAINER) {
      refused.add(
          "isolation " + spec.isolation() + ": only CONTAINER (isolation.level: container)");
    }
    if (spec.network().mode() != NetworkMode.NONE) {
      refused.add("network " + spec.network().mode() + ": only NONE");
    }
    if (spec.runtime() != null || spec.image() != null) {
      refused.add("image and isolation.runtime: the project's services name their images");
    }
    if (spec.mounts().stream().anyMatch(mount -> !(mount instanceof Mount.Tmpfs))) {
      refused.add("folders and volumes of the platform: only tmpfs, and what the project has");
    }
    if (request.snapshot().isPresent()) {
      refused.add("a snapshot: it keeps no state");
    }
    if (!spec.bestEffort().contains(Limit.UID)) {
      refused.add(
          "a user id of its own: images have their own users; 'best_effort: [uid]' in the profile accepts that");
    }
    if (!refused.isEmpty()) {
      throw new ExtensionException(
          ErrorCode.UNSUPPORTED, "ext.compose-ssh cannot do this: " + String.join("; ", refused));
    }
  }
}
