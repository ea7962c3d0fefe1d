package dev.sandboxer.spi;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a sandbox is reached. Extensions start with {@link #at} or {@link #withoutDataplane} and use
 * the {@code with} methods.
 *
 * @param dataplane where boxd listens, null for {@link BoxdPlacement#NONE}; never shown to clients
 * @param providerUid the backend's own id of the sandbox
 * @param descriptors public facts for clients, such as {@code ssh} and {@code remote_dir}
 * @param notEnforced limits that were asked for, allowed as best effort, and are not enforced here
 */
public record Reachability(
    @Nullable DataplaneAddress dataplane,
    String providerUid,
    Map<String, String> descriptors,
    Set<Limit> notEnforced) {

  /** Keeps immutable copies. */
  @ForPlatform
  public Reachability {
    descriptors = Map.copyOf(descriptors);
    notEnforced = Set.copyOf(notEnforced);
  }

  /**
   * A sandbox whose boxd listens somewhere.
   *
   * @param dataplane where
   * @param providerUid the backend's own id of the sandbox
   * @return without descriptors, with all limits enforced
   */
  public static Reachability at(DataplaneAddress dataplane, String providerUid) {
    return new Reachability(dataplane, providerUid, Map.of(), Set.of());
  }

  /**
   * A sandbox without boxd, for {@link BoxdPlacement#NONE}.
   *
   * @param providerUid the backend's own id of the sandbox
   * @return without descriptors, with all limits enforced
   */
  public static Reachability withoutDataplane(String providerUid) {
    return new Reachability(null, providerUid, Map.of(), Set.of());
  }

  /**
   * The same with public facts for clients.
   *
   * @param facts such as {@code ssh} and {@code remote_dir}
   * @return a copy
   */
  public Reachability withDescriptors(Map<String, String> facts) {
    return new Reachability(dataplane, providerUid, facts, notEnforced);
  }

  /**
   * The same with limits that are not enforced.
   *
   * @param limits that were asked for and allowed as best effort
   * @return a copy
   */
  public Reachability withNotEnforced(Set<Limit> limits) {
    return new Reachability(dataplane, providerUid, descriptors, limits);
  }
}
