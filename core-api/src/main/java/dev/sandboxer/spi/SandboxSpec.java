package dev.sandboxer.spi;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A profile with everything resolved. Environment and secrets are not in it: they reach boxd alone,
 * by its configure call.
 *
 * @param profileId such as {@code profile.local}
 * @param profileVersion version of the profile
 * @param image of the root file system, null where the backend needs none
 * @param isolation level to establish
 * @param runtime container runtime asked for, null for the backend's default
 * @param resources limits
 * @param network what may be reached
 * @param mounts what is mounted, in order
 * @param labels of the profile, for display on the backend
 * @param bestEffort limits that may go unenforced if that is reported
 * @param hardTtl boxd ends the sandbox after this time by itself
 */
public record SandboxSpec(
    String profileId,
    int profileVersion,
    @Nullable String image,
    IsolationLevel isolation,
    @Nullable String runtime,
    Resources resources,
    Network network,
    List<Mount> mounts,
    Map<String, String> labels,
    Set<Limit> bestEffort,
    Duration hardTtl) {

  /** Keeps immutable copies. */
  public SandboxSpec {
    mounts = List.copyOf(mounts);
    labels = Map.copyOf(labels);
    bestEffort = Set.copyOf(bestEffort);
    if (hardTtl.isNegative() || hardTtl.isZero()) {
      throw new IllegalArgumentException("hard TTL must be positive");
    }
  }
}
