package dev.sandboxer.platform.host;

import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Probing;
import java.math.BigDecimal;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A placement target as it is now.
 *
 * @param ref name, address and settings; its credentials are references
 * @param extension whose target it is; null for a node's own machine, which all self-hosted
 *     extensions of that node use
 * @param node the only one that reaches it, null if all do
 * @param nodeUp whether that node runs
 * @param nodeExtensions what that node has loaded
 * @param region where it is, null if nobody said
 * @param labels for {@code require} and {@code prefer}
 * @param admission whether it takes new sandboxes
 * @param capacity how much it takes
 * @param load what is taken
 * @param probes what trying each extension there found last
 * @param createdAt when it was registered
 */
public record Host(
    HostRef ref,
    @Nullable ExtensionId extension,
    @Nullable String node,
    boolean nodeUp,
    Set<String> nodeExtensions,
    @Nullable String region,
    Map<String, String> labels,
    Admission admission,
    Capacity capacity,
    Load load,
    Map<String, Probed> probes,
    Instant createdAt) {

  /** Keeps immutable copies. */
  public Host {
    nodeExtensions = Set.copyOf(nodeExtensions);
    labels = Map.copyOf(labels);
    probes = Map.copyOf(probes);
  }

  /**
   * What trying an extension found.
   *
   * @param usable whether a sandbox can be established
   * @param notEnforced limits that cannot be enforced there, as in the profile language
   * @param room what the host has in all, empty if the backend cannot tell
   * @param runtimes that {@code isolation.runtime} may name there, empty if the backend cannot tell
   * @param detail what was wrong, null if nothing was
   * @param at when
   */
  public record Probed(
      boolean usable,
      Set<String> notEnforced,
      Optional<Probing.Room> room,
      Optional<Set<String>> runtimes,
      @Nullable String detail,
      Instant at) {

    /** Keeps immutable copies. */
    public Probed {
      notEnforced = Set.copyOf(notEnforced);
      runtimes = runtimes.map(Set::copyOf);
    }
  }

  /**
   * Whether it is a place for an extension.
   *
   * @param id of the extension
   * @return true for the one that it was registered for; on a node's own machine for all that the
   *     node has loaded
   */
  public boolean serves(ExtensionId id) {
    return extension == null ? nodeExtensions.contains(id.text()) : extension.equals(id);
  }

  /**
   * Whether a node reaches it.
   *
   * @param id of the node
   * @return true for its own hosts and those that all nodes reach
   */
  public boolean reachedBy(String id) {
    return node == null || node.equals(id);
  }

  /**
   * What limits the number of sandboxes.
   *
   * @return whether anything does
   */
  public boolean limited() {
    return capacity.limited();
  }

  /**
   * The share of its room that is taken: of its limits, else of what a probe found.
   *
   * @return 0 for none, 1 for all; more if it is overfull
   */
  public double share() {
    if (limited()) {
      return capacity.share(load);
    }
    return probes.values().stream()
        .flatMap(probed -> probed.room().stream())
        .findFirst()
        .map(room -> new Capacity(null, room.cpus(), room.memoryBytes()).share(load))
        .orElse(0.0);
  }

  /**
   * With one more sandbox on it.
   *
   * @param cpus of the sandbox
   * @param memoryBytes of the sandbox
   * @return a copy
   */
  Host with(BigDecimal cpus, long memoryBytes) {
    return new Host(
        ref,
        extension,
        node,
        nodeUp,
        nodeExtensions,
        region,
        labels,
        admission,
        capacity,
        load.plus(cpus, memoryBytes),
        probes,
        createdAt);
  }
}
