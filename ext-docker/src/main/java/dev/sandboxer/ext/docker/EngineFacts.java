package dev.sandboxer.ext.docker;

import com.github.dockerjava.api.model.Info;
import com.github.dockerjava.api.model.Version;
import com.github.dockerjava.core.RemoteApiVersion;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Limit;
import dev.sandboxer.spi.Probing.Room;
import java.math.BigDecimal;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * What an Engine is and can do.
 *
 * @param engine its version
 * @param api the version of its API that is spoken
 * @param tooOld why it cannot be used, empty if it can
 * @param architecture as boxd's binaries carry it
 * @param cgroup version of its control groups, 1 or 2, empty if not known
 * @param options its security options
 * @param runtimes names of container runtimes
 * @param defaultRuntime the one that it takes, empty if not known
 * @param notEnforced limits that it cannot enforce
 * @param id of the Engine
 * @param room what its machine has in all, empty if not known
 */
record EngineFacts(
    String engine,
    RemoteApiVersion api,
    String tooOld,
    String architecture,
    String cgroup,
    List<String> options,
    Set<String> runtimes,
    String defaultRuntime,
    Set<Limit> notEnforced,
    String id,
    Optional<Room> room) {

  static final EngineFacts UNKNOWN =
      new EngineFacts(
          "",
          RemoteApiVersion.UNKNOWN_VERSION,
          "",
          "",
          "",
          List.of(),
          Set.of(),
          "",
          Set.of(),
          "",
          Optional.empty());

  /** Spoken where the Engine still knows it: the oldest that has all that is used. */
  private static final RemoteApiVersion OURS = RemoteApiVersion.VERSION_1_41;

  static EngineFacts of(Version version) {
    RemoteApiVersion newest = RemoteApiVersion.parseConfigWithDefault(version.getApiVersion());
    RemoteApiVersion oldest = RemoteApiVersion.parseConfigWithDefault(version.getMinAPIVersion());
    boolean tooOld = !newest.isGreaterOrEqual(OURS);
    return new EngineFacts(
        String.valueOf(version.getVersion()),
        oldest.isGreater(OURS) ? oldest : OURS,
        tooOld
            ? "the Docker Engine %s speaks API %s; 20.10 with API %s or later is needed"
                .formatted(version.getVersion(), newest.getVersion(), OURS.getVersion())
            : "",
        architecture(String.valueOf(version.getArch())),
        "",
        List.of(),
        Set.of(),
        "",
        Set.of(),
        "",
        Optional.empty());
  }

  EngineFacts with(Info info, HostRef host) {
    return new EngineFacts(
        engine,
        api,
        tooOld,
        architecture,
        Objects.requireNonNullElse(info.getCGroupVersion(), ""),
        Optional.ofNullable(info.getSecurityOptions()).map(List::copyOf).orElse(List.of()),
        Optional.ofNullable(info.getRuntimes())
            .<Set<String>>map(map -> new TreeSet<>(map.keySet()))
            .orElse(Set.of()),
        Objects.toString(info.getRawValues().get("DefaultRuntime"), ""),
        notEnforced(info, host),
        String.valueOf(info.getId()),
        room(info));
  }

  private static Optional<Room> room(Info info) {
    int cpus = Objects.requireNonNullElse(info.getNCPU(), 0);
    long memory = Objects.requireNonNullElse(info.getMemTotal(), 0L);
    return cpus > 0 && memory > 0
        ? Optional.of(new Room(BigDecimal.valueOf(cpus), memory))
        : Optional.empty();
  }

  /** Whether another machine swaps is not known here. */
  private static Set<Limit> notEnforced(Info info, HostRef host) {
    Set<Limit> missing = EnumSet.noneOf(Limit.class);
    boolean swap =
        Boolean.TRUE.equals(info.getSwapLimit()) || (host.sameMachine() && !Swap.exists());
    if (!Boolean.TRUE.equals(info.getMemoryLimit()) || !swap) {
      missing.add(Limit.MEMORY);
    }
    if (!Boolean.TRUE.equals(info.getCpuCfsQuota())) {
      missing.add(Limit.CPUS);
    }
    if (Boolean.FALSE.equals(info.getRawValues().get("PidsLimit"))) {
      missing.add(Limit.PIDS);
    }
    return missing;
  }

  private static String architecture(String name) {
    return switch (name) {
      case "x86_64" -> "amd64";
      case "aarch64" -> "arm64";
      default -> name;
    };
  }

  boolean seccomp() {
    return options.stream().anyMatch(option -> option.startsWith("name=seccomp"));
  }

  boolean remapped() {
    return options.stream().anyMatch(option -> option.startsWith("name=userns"));
  }

  boolean rootless() {
    return options.stream().anyMatch(option -> option.startsWith("name=rootless"));
  }
}
