package dev.sandboxer.ext.nsjail;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.SandboxIdentity;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Ends jails, and only those that carry this installation's label. */
final class Teardown {
  private final JailFolders folders;
  private final Launcher launcher;

  Teardown(JailFolders folders, Launcher launcher) {
    this.folders = folders;
    this.launcher = launcher;
  }

  CleanupReport of(SandboxIdentity identity, Call call) throws ExtensionException {
    Path folder = folders.of(identity);
    if (!Files.exists(folder)) {
      return CleanupReport.NOTHING;
    }
    Optional<JailState> state;
    try {
      state = folders.load(identity);
    } catch (ExtensionException e) {
      if (e.code() != ErrorCode.AUTHORIZATION) {
        throw e;
      }
      return left(identity.name(), String.valueOf(e.getMessage()));
    }
    return end(folder, state.map(JailState::providerUid).orElse(identity.name()), call);
  }

  private CleanupReport end(Path folder, String uid, Call call) throws ExtensionException {
    try {
      Fields answer = launcher.kill(folder, call);
      boolean removed = Boolean.parseBoolean(answer.get("removed"));
      return new CleanupReport(removed ? List.of(uid) : List.of(), List.of());
    } catch (ExtensionException e) {
      if (call.cancelled()) {
        throw e;
      }
      return left(uid, String.valueOf(e.getMessage()));
    }
  }

  private static CleanupReport left(String uid, String reason) {
    return new CleanupReport(List.of(), List.of(new CleanupReport.Leftover(uid, reason)));
  }
}
