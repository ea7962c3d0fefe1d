package dev.sandboxer.spi;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Makes a {@link SandboxSpec}. A component that a later SPI adds has a default here. */
public final class SandboxSpecBuilder {

  private final String profileId;
  private final int profileVersion;
  private @Nullable String image;
  private IsolationLevel isolation;
  private @Nullable String runtime;
  private Resources resources;
  private Network network = Network.NONE;
  private List<Mount> mounts = List.of();
  private Map<String, String> labels = Map.of();
  private Set<Limit> bestEffort = Set.of();
  private Duration hardTtl;
  private Map<String, Object> options = Map.of();

  SandboxSpecBuilder(
      String profileId,
      int profileVersion,
      IsolationLevel isolation,
      Resources resources,
      Duration hardTtl) {
    this.profileId = profileId;
    this.profileVersion = profileVersion;
    this.isolation = isolation;
    this.resources = resources;
    this.hardTtl = hardTtl;
  }

  SandboxSpecBuilder(SandboxSpec from) {
    this(
        from.profileId(),
        from.profileVersion(),
        from.isolation(),
        from.resources(),
        from.hardTtl());
    this.image = from.image();
    this.runtime = from.runtime();
    this.network = from.network();
    this.mounts = from.mounts();
    this.labels = from.labels();
    this.bestEffort = from.bestEffort();
    this.options = from.options();
  }

  /**
   * Sets the image of the root file system; none unless set.
   *
   * @param value see {@link SandboxSpec}
   * @return this
   */
  public SandboxSpecBuilder image(@Nullable String value) {
    this.image = value;
    return this;
  }

  /**
   * Sets the level to establish; replaces what the builder was started with.
   *
   * @param value see {@link SandboxSpec}
   * @return this
   */
  public SandboxSpecBuilder isolation(IsolationLevel value) {
    this.isolation = value;
    return this;
  }

  /**
   * Sets the container runtime; the backend's default unless set.
   *
   * @param value see {@link SandboxSpec}
   * @return this
   */
  public SandboxSpecBuilder runtime(@Nullable String value) {
    this.runtime = value;
    return this;
  }

  /**
   * Sets the limits; replaces what the builder was started with.
   *
   * @param value see {@link SandboxSpec}
   * @return this
   */
  public SandboxSpecBuilder resources(Resources value) {
    this.resources = value;
    return this;
  }

  /**
   * Sets what may be reached; {@link Network#NONE} unless set.
   *
   * @param value see {@link SandboxSpec}
   * @return this
   */
  public SandboxSpecBuilder network(Network value) {
    this.network = value;
    return this;
  }

  /**
   * Sets what is mounted; nothing unless set.
   *
   * @param value see {@link SandboxSpec}
   * @return this
   */
  public SandboxSpecBuilder mounts(List<Mount> value) {
    this.mounts = value;
    return this;
  }

  /**
   * Sets the labels of the profile; none unless set.
   *
   * @param value see {@link SandboxSpec}
   * @return this
   */
  public SandboxSpecBuilder labels(Map<String, String> value) {
    this.labels = value;
    return this;
  }

  /**
   * Sets the limits that may go unenforced; none unless set.
   *
   * @param value see {@link SandboxSpec}
   * @return this
   */
  public SandboxSpecBuilder bestEffort(Set<Limit> value) {
    this.bestEffort = value;
    return this;
  }

  /**
   * Sets the time after which boxd ends the sandbox; replaces what the builder was started with.
   *
   * @param value see {@link SandboxSpec}
   * @return this
   */
  public SandboxSpecBuilder hardTtl(Duration value) {
    this.hardTtl = value;
    return this;
  }

  /**
   * Sets what only the extension understands; nothing unless set.
   *
   * @param value see {@link SandboxSpec}
   * @return this
   */
  public SandboxSpecBuilder options(Map<String, Object> value) {
    this.options = value;
    return this;
  }

  /**
   * Makes the spec.
   *
   * @return checked
   * @throws IllegalArgumentException naming what is wrong
   */
  public SandboxSpec build() {
    return new SandboxSpec(
        profileId,
        profileVersion,
        image,
        isolation,
        runtime,
        resources,
        network,
        mounts,
        labels,
        bestEffort,
        hardTtl,
        options);
  }
}
