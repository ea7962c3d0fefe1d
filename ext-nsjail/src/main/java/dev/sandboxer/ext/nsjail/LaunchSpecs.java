package dev.sandboxer.ext.nsjail;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionContext;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.IsolationLevel;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.NetworkMode;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.ProvisionRequest;
import dev.sandboxer.spi.Resources;
import dev.sandboxer.spi.SandboxSpec;
import java.io.IOException;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/** Writes what the launcher reads on its stdin, and refuses what a jail cannot be. */
final class LaunchSpecs {
  private static final int START_TIMEOUT_SECONDS = 10;

  private final ExtensionContext context;
  private final JailFolders folders;
  private final JailVolumes volumes;
  private final Images images;
  private final NsjailPath nsjail;

  LaunchSpecs(
      ExtensionContext context,
      JailFolders folders,
      JailVolumes volumes,
      Images images,
      NsjailPath nsjail) {
    this.context = context;
    this.folders = folders;
    this.volumes = volumes;
    this.images = images;
    this.nsjail = nsjail;
  }

  String of(ProvisionRequest request, Call call) throws ExtensionException {
    refuse(request);
    Map<String, Object> spec = new TreeMap<>();
    spec.put(
        "identity",
        Map.of(
            "installation", request.identity().installation(),
            "name", request.identity().name()));
    spec.put("label", context.sign(request.identity()));
    spec.put("dir", folders.of(request.identity()).toString());
    spec.put("nsjail", nsjail().toString());
    spec.put("boxd", boxd(request).toString());
    spec.put("config", Base64.getEncoder().encodeToString(request.daemon().config()));
    spec.put("arguments", request.daemon().arguments());
    spec.put("uid", request.uid().orElseThrow());
    spec.put("resources", resources(request.spec().resources()));
    spec.put("mounts", mounts(request.spec().mounts()));
    spec.put("best_effort", request.spec().bestEffort().stream().map(LaunchSpecs::name).toList());
    String image = request.spec().image();
    spec.put("image", image == null ? "" : images.resolve(image, request, call).toString());
    spec.put("start_timeout_seconds", START_TIMEOUT_SECONDS);
    return Json.write(spec);
  }

  Path nsjail() throws ExtensionException {
    return nsjail
        .find()
        .orElseThrow(
            () ->
                new ExtensionException(
                    ErrorCode.UNAVAILABLE,
                    "nsjail is not there: set SANDBOXER_NSJAIL to its path, put it on the PATH, or"
                        + " run ./sandboxer up, which fetches it"));
  }

  static String name(Limit limit) {
    return limit.name().toLowerCase(Locale.ROOT);
  }

  private static Path boxd(ProvisionRequest request) throws ExtensionException {
    try {
      return request.daemon().binary("linux", Architecture.ofHost()).toRealPath();
    } catch (IllegalArgumentException | IOException e) {
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE,
          Outcome.NOTHING_CREATED,
          "there is no boxd for linux " + Architecture.ofHost() + ": " + e.getMessage(),
          e);
    }
  }

  private static Map<String, Object> resources(Resources resources) {
    return Map.of(
        "cpu_millis", millis(resources.cpus()),
        "memory_bytes", resources.memoryBytes(),
        "pids", resources.pids(),
        "workspace_bytes", resources.workspaceBytes(),
        "tmp_bytes", resources.tmpBytes(),
        "open_files", resources.openFiles());
  }

  private List<Map<String, Object>> mounts(List<Mount> mounts) throws ExtensionException {
    List<Map<String, Object>> described = new ArrayList<>();
    for (Mount mount : mounts) {
      described.add(mount(mount));
    }
    return described;
  }

  private Map<String, Object> mount(Mount mount) throws ExtensionException {
    Map<String, Object> described = new TreeMap<>();
    described.put("target", mount.mountPath());
    described.put("writable", mount.writable());
    switch (mount) {
      case Mount.HostFolder folder -> described.put("source", folder.hostPath());
      case Mount.Volume volume -> described.put("image", volumes.disk(volume.volume()).toString());
      case Mount.Tmpfs tmpfs -> described.put("tmpfs_bytes", tmpfs.sizeBytes());
    }
    return described;
  }

  private static long millis(BigDecimal cpus) {
    return cpus.movePointRight(3).setScale(0, RoundingMode.CEILING).longValueExact();
  }

  private static void refuse(ProvisionRequest request) throws ExtensionException {
    SandboxSpec spec = request.spec();
    List<String> refused = new ArrayList<>();
    if (!request.host().local()) {
      refused.add("host " + request.host().id() + ": only the platform's own machine");
    }
    if (spec.isolation() != IsolationLevel.PROCESS) {
      refused.add("isolation.level " + spec.isolation() + ": only PROCESS");
    }
    if (spec.network().mode() != NetworkMode.NONE) {
      refused.add("network.mode " + spec.network().mode() + ": only NONE");
    }
    if (spec.runtime() != null) {
      refused.add("isolation.runtime " + spec.runtime() + ": a jail has no container runtime");
    }
    if (!spec.options().isEmpty()) {
      refused.add("options " + spec.options().keySet() + ": nsjail has none");
    }
    if (request.snapshot().isPresent()) {
      refused.add("a snapshot: a jail keeps no state");
    }
    if (!refused.isEmpty()) {
      throw new ExtensionException(
          ErrorCode.UNSUPPORTED, "nsjail cannot do this: " + String.join("; ", refused));
    }
  }
}
