package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.mount.MountRules;
import dev.sandboxer.spi.Mount;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * The client's {@code BoxSpec}, with its defaults.
 *
 * @param sessionId the caller's own name for the box
 * @param command a line for a shell, empty if the box alone is asked for
 * @param workdir where the command runs
 * @param timeoutSeconds after which the command is killed
 * @param network whether the box is to reach a network
 * @param env of the command
 * @param image of the root file system
 * @param hostPath folder of the host, empty for none
 * @param hostPathMode {@code none}, {@code ro} or {@code rw}
 * @param mountPath where the folder is inside
 * @param mounts folders of the host, the first one's too
 * @param manifests of mounts that have a content digest
 * @param persistent whether the box never ends for being idle
 * @param cpus share of CPUs
 * @param memoryMb memory
 * @param pidsLimit processes and threads
 * @param readOnlyRoot whether the root file system is read-only
 * @param quotaMb size of the workspace, 0 for the profile's
 */
record SessionSpec(
    String sessionId,
    String command,
    String workdir,
    long timeoutSeconds,
    boolean network,
    Map<String, String> env,
    String image,
    Optional<String> hostPath,
    String hostPathMode,
    String mountPath,
    List<Mount> mounts,
    List<Manifest> manifests,
    boolean persistent,
    String cpus,
    long memoryMb,
    long pidsLimit,
    boolean readOnlyRoot,
    long quotaMb) {

  /** What the client names where nobody named an image. */
  static final String DEFAULT_IMAGE = "rockchin/langbot-sandbox:latest";

  static final String WORKSPACE = "/workspace";
  static final String DEFAULT_CPUS = "1";
  static final long DEFAULT_MEMORY = 512;
  static final long DEFAULT_PIDS = 128;

  private static final long DEFAULT_TIMEOUT = 30;
  private static final long LEAST_MEMORY = 32;

  private static final Set<String> FIELDS =
      Set.of(
          "cmd",
          "workdir",
          "timeout_sec",
          "network",
          "session_id",
          "env",
          "image",
          "host_path",
          "host_path_mode",
          "mount_path",
          "extra_mounts",
          "persistent",
          "cpus",
          "memory_mb",
          "pids_limit",
          "read_only_rootfs",
          "workspace_quota_mb");

  /**
   * A file that lists what a mounted folder holds.
   *
   * @param path of the host
   * @param digest that it must have
   */
  record Manifest(String path, String digest) {}

  /** Where the client mounts its artefacts, each at the hex of its digest. */
  private static final String ARTEFACTS = "/opt/langbot-artifacts";

  private static final Set<String> MOUNT_FIELDS =
      Set.of("host_path", "mount_path", "mode", "content_digest", "manifest_path");

  private static final List<String> MODES = List.of("rw", "ro", "none");

  /** Whether a folder of the host stands in the place of the box's own workspace. */
  boolean mountsWorkspace() {
    return mounts.stream().anyMatch(mount -> mount.mountPath().equals(WORKSPACE));
  }

  static SessionSpec read(Fields fields) {
    fields.only(FIELDS);
    String mountPath = path(fields, "mount_path", fields.optionalText("mount_path"), WORKSPACE);
    String workdir =
        path(
            fields, "workdir", fields.optionalText("workdir").filter(w -> !w.isEmpty()), mountPath);
    Optional<String> hostPath = fields.optionalText("host_path").map(String::strip);
    String mode = fields.choice("host_path_mode", MODES);
    List<Manifest> manifests = new ArrayList<>();
    boolean mounted = hostPath.isPresent() && !mode.equals("none");
    if (mounted && !workdir.equals(mountPath) && !workdir.startsWith(mountPath + "/")) {
      throw fields.wrong("workdir", "must stay under mount_path when host_path is provided");
    }
    return new SessionSpec(
        fields.word("session_id"),
        fields.optionalText("cmd").orElse("").strip(),
        workdir,
        fields.number("timeout_sec", DEFAULT_TIMEOUT, 1),
        fields.choice("network", List.of("off", "on")).equals("on"),
        fields.texts("env"),
        fields.optionalText("image").map(String::strip).orElse(DEFAULT_IMAGE),
        hostPath,
        mode,
        mountPath,
        mounts(fields, hostPath, mode, mountPath, manifests),
        List.copyOf(manifests),
        fields.yes("persistent", false),
        fields.decimal("cpus", DEFAULT_CPUS),
        fields.number("memory_mb", DEFAULT_MEMORY, LEAST_MEMORY),
        fields.number("pids_limit", DEFAULT_PIDS, 1),
        fields.yes("read_only_rootfs", true),
        fields.number("workspace_quota_mb", 0, 0));
  }

  private static String path(Fields fields, String name, Optional<String> given, String byDefault) {
    String path = given.map(String::strip).orElse(byDefault);
    if (!path.startsWith("/")) {
      throw fields.wrong(name, "must be an absolute path inside the sandbox");
    }
    return path;
  }

  private static List<Mount> mounts(
      Fields fields,
      Optional<String> hostPath,
      String mode,
      String mountPath,
      List<Manifest> manifests) {
    List<Mount> mounts = new ArrayList<>();
    if (hostPath.isPresent() && !mode.equals("none")) {
      mounts.add(
          new Mount.HostFolder(
              checked(fields, "host_path", hostPath.get(), MountRules::source),
              checked(fields, "mount_path", mountPath, MountRules::target),
              mode.equals("rw")));
    }
    for (Fields one : fields.objects("extra_mounts")) {
      extra(one, manifests).ifPresent(mounts::add);
    }
    for (int i = 0; i < mounts.size(); i++) {
      Mount mount = mounts.get(i);
      MountRules.conflict(mount, mounts.subList(0, i))
          .ifPresent(
              why -> {
                throw BoxError.invalid("mount at '%s' %s".formatted(mount.mountPath(), why));
              });
    }
    return List.copyOf(mounts);
  }

  private static Optional<Mount> extra(Fields one, List<Manifest> manifests) {
    one.only(MOUNT_FIELDS);
    String mode = one.choice("mode", MODES);
    String source = checked(one, "host_path", one.text("host_path").strip(), MountRules::source);
    String target = checked(one, "mount_path", one.text("mount_path").strip(), MountRules::target);
    Optional<String> digest =
        one.optionalText("content_digest")
            .map(text -> checked(one, "content_digest", text.strip(), MountRules::digest));
    Optional<String> manifest =
        one.optionalText("manifest_path")
            .map(text -> checked(one, "manifest_path", text.strip(), MountRules::source));
    checkArtefact(one, target, mode, digest, manifest);
    if (mode.equals("none")) {
      return Optional.empty();
    }
    manifest.ifPresent(path -> manifests.add(new Manifest(path, digest.orElseThrow())));
    return Optional.of(new Mount.HostFolder(source, target, mode.equals("rw"), digest));
  }

  private static void checkArtefact(
      Fields one, String target, String mode, Optional<String> digest, Optional<String> manifest) {
    if (digest.isPresent() && mode.equals("rw")) {
      throw one.wrong("content_digest", "excludes mode rw: what is verified is read-only");
    }
    if (manifest.isPresent() && digest.isEmpty()) {
      throw one.wrong("manifest_path", "needs content_digest");
    }
    boolean ownPlace =
        manifest.isPresent()
            && digest.filter(d -> target.equals(ARTEFACTS + d.replace("sha256:", "/"))).isPresent();
    if ((target.equals(ARTEFACTS) || target.startsWith(ARTEFACTS + "/")) && !ownPlace) {
      throw one.wrong(
          "mount_path",
          "must be %s/<hex> of content_digest, with manifest_path, or lie elsewhere"
              .formatted(ARTEFACTS));
    }
  }

  private static String checked(
      Fields fields, String name, String path, UnaryOperator<String> rule) {
    try {
      return rule.apply(path);
    } catch (IllegalArgumentException e) {
      throw fields.wrong(name, "'%s' %s".formatted(path, e.getMessage()));
    }
  }
}
