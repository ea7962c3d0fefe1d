package dev.sandboxer.platform.host;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.DoubleStream;
import org.jspecify.annotations.Nullable;

/**
 * How much a host takes at most. What its sandboxes may use counts, whether they use it or not.
 *
 * @param sandboxes at once, null for any number
 * @param cpus of all together, null for any
 * @param memoryBytes of all together, null for any
 */
public record Capacity(
    @Nullable Integer sandboxes, @Nullable BigDecimal cpus, @Nullable Long memoryBytes) {

  /** Whether anything is limited. */
  boolean limited() {
    return sandboxes != null || cpus != null || memoryBytes != null;
  }

  /**
   * Whether one more sandbox fits.
   *
   * @param load of the host now
   * @param more CPUs of the sandbox
   * @param moreBytes memory of the sandbox
   * @return false if a limit would be passed
   */
  public boolean fits(Load load, BigDecimal more, long moreBytes) {
    return (sandboxes == null || load.sandboxes() < sandboxes)
        && (cpus == null || load.cpus().add(more).compareTo(cpus) <= 0)
        && (memoryBytes == null || load.memoryBytes() + moreBytes <= memoryBytes);
  }

  /** The largest of the three shares that are taken, 0 where nothing is limited. */
  double share(Load load) {
    return DoubleStream.of(
            sandboxes == null ? 0 : load.sandboxes() / (double) Math.max(1, sandboxes),
            cpus == null ? 0 : share(load.cpus(), cpus),
            memoryBytes == null ? 0 : load.memoryBytes() / (double) memoryBytes)
        .max()
        .orElse(0);
  }

  private static double share(BigDecimal part, BigDecimal of) {
    return part.divide(of, 6, RoundingMode.HALF_EVEN).doubleValue();
  }

  /** The limits that there are, for a person. */
  @Override
  public String toString() {
    List<String> limits = new ArrayList<>();
    if (sandboxes != null) {
      limits.add(sandboxes + " sandboxes");
    }
    if (cpus != null) {
      limits.add(cpus.toPlainString() + " cpus");
    }
    if (memoryBytes != null) {
      limits.add(memoryBytes + " bytes of memory");
    }
    return limits.isEmpty() ? "no limit" : String.join(", ", limits);
  }
}
