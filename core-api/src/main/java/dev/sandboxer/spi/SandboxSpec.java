package dev.sandboxer.spi;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A profile with everything resolved. Environment and secrets are not in it: they reach boxd by its
 * configure call, and no extension but one with {@link ExtensionDescriptor#secretFiles()}. The
 * platform and tests make it with {@link #builder}.
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
 * @param options what only this extension understands, checked by {@link
 *     ExtensionDescriptor#optionsSchema()}; the values are {@link String}, {@link Boolean}, {@link
 *     Long}, {@link java.math.BigDecimal} (only for what is not a whole number of 64 bits), {@link
 *     List} and {@link Map} of these with {@link String} keys in alphabetical order
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
    Duration hardTtl,
    Map<String, Object> options) {

  /** Keeps immutable copies. */
  @ForPlatform
  public SandboxSpec {
    mounts = List.copyOf(mounts);
    labels = Map.copyOf(labels);
    bestEffort = Set.copyOf(bestEffort);
    if (hardTtl.isNegative() || hardTtl.isZero()) {
      throw new IllegalArgumentException("hard TTL must be positive");
    }
    options = PlainValues.copyOf(options);
  }

  /**
   * Starts a spec that has no image, no network and no mounts.
   *
   * @param profileId such as {@code profile.local}
   * @param profileVersion version of the profile
   * @param isolation level to establish
   * @param resources limits
   * @param hardTtl boxd ends the sandbox after this time by itself
   * @return a new builder
   */
  public static SandboxSpecBuilder builder(
      String profileId,
      int profileVersion,
      IsolationLevel isolation,
      Resources resources,
      Duration hardTtl) {
    return new SandboxSpecBuilder(profileId, profileVersion, isolation, resources, hardTtl);
  }

  /**
   * A builder that has all these values.
   *
   * @return a new builder
   */
  public SandboxSpecBuilder toBuilder() {
    return new SandboxSpecBuilder(this);
  }
}
