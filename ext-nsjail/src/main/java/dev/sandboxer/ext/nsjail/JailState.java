package dev.sandboxer.ext.nsjail;

import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Outcome;
import dev.sandboxer.spi.SandboxHandle;
import dev.sandboxer.spi.SandboxIdentity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * What a jail's state file says. The file is there from before the first thing is made until after
 * the last is gone.
 *
 * @param identity whose jail it is
 * @param label the platform's signature over the identity, not yet checked
 * @param socket where boxd listens
 * @param createdAt when the launcher began
 * @param boot the boot that the process numbers belong to
 * @param init boxd, {@link HostProcess#NONE} until it has answered
 * @param cgroups the jail's own folders
 * @param notEnforced limits that nothing enforces here
 */
record JailState(
    SandboxIdentity identity,
    String label,
    Path socket,
    Instant createdAt,
    String boot,
    HostProcess init,
    List<Path> cgroups,
    Set<Limit> notEnforced) {

  private static final int HANDLE_VERSION = 1;
  private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

  /** Reads the launcher's fields; {@link IllegalArgumentException} if they are not a state. */
  static JailState of(Fields fields) {
    try {
      return new JailState(
          JailFolders.identity(fields.get("installation"), fields.get("name")),
          fields.get("label"),
          Path.of(fields.get("socket")),
          Instant.parse(fields.get("created_at")),
          fields.get("boot"),
          HostProcess.parse(fields.get("init")),
          fields.lines("cgroups").stream().map(Path::of).toList(),
          fields.list("not_enforced").stream()
              .map(name -> Limit.valueOf(name.toUpperCase(Locale.ROOT)))
              .collect(Collectors.toUnmodifiableSet()));
    } catch (DateTimeException e) {
      throw new IllegalArgumentException("created_at is not an instant", e);
    }
  }

  /** The jail's name, which leads to its folder, and its first process. */
  SandboxHandle handle() {
    return SandboxHandle.of(
        HANDLE_VERSION,
        "installation="
            + identity.installation()
            + "\nname="
            + identity.name()
            + "\ninit="
            + init
            + "\nboot="
            + boot
            + "\ncgroups="
            + cgroups.stream().map(Path::toString).collect(Collectors.joining("\\n"))
            + "\n");
  }

  String providerUid() {
    return identity.name() + "@" + init;
  }

  boolean running() throws ExtensionException {
    return boot.equals(currentBoot()) && init.alive();
  }

  Inspection.Ended end() {
    for (Path cgroup : cgroups) {
      if (counted(cgroup.resolve("memory.oom_control"))
          || counted(cgroup.resolve("memory.events"))) {
        return new Inspection.Ended(ErrorCode.OOM, "the kernel ended processes for lack of memory");
      }
    }
    return new Inspection.Ended(ErrorCode.CRASH, "the sandbox's first process has ended");
  }

  private static boolean counted(Path file) {
    try {
      return Files.readAllLines(file).stream()
          .anyMatch(line -> line.startsWith("oom_kill ") && !line.equals("oom_kill 0"));
    } catch (IOException e) {
      return false;
    }
  }

  private static String currentBoot() throws ExtensionException {
    try {
      return Files.readString(BOOT_ID).strip();
    } catch (IOException e) {
      throw new ExtensionException(
          ErrorCode.UNAVAILABLE,
          Outcome.UNKNOWN,
          "the host's boot id cannot be read: " + e.getMessage(),
          e);
    }
  }
}
