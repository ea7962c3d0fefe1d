package dev.sandboxer.platform.box;

import dev.sandboxer.platform.sandbox.Consumer;
import dev.sandboxer.spi.Mount;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What a box is made of, but for its environment, which is stored sealed.
 *
 * @param profile {@code <name>} or {@code profile.<name>}, optionally {@code @version}
 * @param inputs of the profile, as texts
 * @param mounts beside the profile's
 * @param labels of its sandbox
 * @param consumer who asked first
 * @param ttlSeconds how long its sandbox lives after ready; empty for the profile's hard limit
 * @param idleSeconds ends the sandbox after it was unused for this time; empty for 300
 * @param persistent whether it never ends for being idle
 */
public record BoxSpec(
    String profile,
    Map<String, String> inputs,
    List<Mount> mounts,
    Map<String, String> labels,
    Consumer consumer,
    Optional<Long> ttlSeconds,
    Optional<Long> idleSeconds,
    boolean persistent) {

  /** Where a request does not say it; from the reference Box runtime. */
  public static final long DEFAULT_IDLE_SECONDS = 300;

  /** Keeps immutable copies. */
  public BoxSpec {
    inputs = Map.copyOf(inputs);
    mounts = List.copyOf(mounts);
    labels = Map.copyOf(labels);
  }

  /**
   * The same with other mounts.
   *
   * @param others beside the profile's
   * @return a copy
   */
  public BoxSpec mounting(List<Mount> others) {
    return new BoxSpec(
        profile, inputs, others, labels, consumer, ttlSeconds, idleSeconds, persistent);
  }

  /**
   * The same for another consumer.
   *
   * @param other who asks first
   * @return a copy
   */
  public BoxSpec by(Consumer other) {
    return new BoxSpec(profile, inputs, mounts, labels, other, ttlSeconds, idleSeconds, persistent);
  }

  /**
   * The same, but never ended for being idle.
   *
   * @return a copy
   */
  public BoxSpec kept() {
    return new BoxSpec(profile, inputs, mounts, labels, consumer, ttlSeconds, idleSeconds, true);
  }

  /**
   * How long its sandbox may be unused.
   *
   * @return in seconds
   */
  public long idle() {
    return idleSeconds.orElse(DEFAULT_IDLE_SECONDS);
  }
}
