package dev.sandboxer.platform.pricing;

import dev.sandboxer.spi.Resources;
import java.math.BigDecimal;

/**
 * What an hour costs.
 *
 * @param perHour for the sandbox as such
 * @param perVcpuHour for each CPU that it may use
 * @param perGibHour for each GiB (2^30 bytes) of its memory
 */
record UnitPrices(BigDecimal perHour, BigDecimal perVcpuHour, BigDecimal perGibHour) {

  private static final BigDecimal GIB = BigDecimal.valueOf(1L << 30);

  /** An hour of a sandbox of this size, exact: a division by a power of two always ends. */
  BigDecimal hourly(Resources size) {
    BigDecimal gib = BigDecimal.valueOf(size.memoryBytes()).divide(GIB);
    return perHour.add(perVcpuHour.multiply(size.cpus())).add(perGibHour.multiply(gib));
  }
}
