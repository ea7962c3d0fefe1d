package dev.sandboxer.ext.nsjail;

import com.sun.management.OperatingSystemMXBean;
import dev.sandboxer.spi.Probing.Room;
import java.lang.management.ManagementFactory;
import java.math.BigDecimal;

/** What this machine has for all jails. */
final class Machine {

  private Machine() {}

  /** Java reads the limits of the process's control group, v1 or v2, where they are lower. */
  static Room room() {
    OperatingSystemMXBean machine =
        ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    return new Room(
        BigDecimal.valueOf(machine.getAvailableProcessors()), machine.getTotalMemorySize());
  }
}
