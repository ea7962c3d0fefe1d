package dev.sandboxer.spi;

import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * How a sandbox is reached.
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
  public Reachability {
    descriptors = Map.copyOf(descriptors);
    notEnforced = Set.copyOf(notEnforced);
  }
}
