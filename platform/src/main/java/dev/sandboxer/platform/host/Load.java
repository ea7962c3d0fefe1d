package dev.sandboxer.platform.host;

import java.math.BigDecimal;

/**
 * What a host's sandboxes take, with those whose remains were not yet seen clean.
 *
 * @param sandboxes how many
 * @param cpus of all together
 * @param memoryBytes of all together
 */
public record Load(int sandboxes, BigDecimal cpus, long memoryBytes) {

  /**
   * With one more sandbox.
   *
   * @param more its CPUs
   * @param moreBytes its memory
   * @return the sum
   */
  public Load plus(BigDecimal more, long moreBytes) {
    return new Load(sandboxes + 1, cpus.add(more), memoryBytes + moreBytes);
  }
}
