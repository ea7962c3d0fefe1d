package dev.sandboxer.ext.docker;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.github.dockerjava.api.model.HostConfig;
import java.util.List;

/** Adds what docker-java's class does not have. */
final class HardenedHost extends HostConfig {

  private static final long serialVersionUID = 1L;

  /** The Engine's own list, which this replaces, and what else tells of the host. */
  private static final List<String> MASKED =
      List.of(
          "/proc/acpi",
          "/proc/asound",
          "/proc/bus/pci",
          "/proc/cmdline",
          "/proc/config.gz",
          "/proc/diskstats",
          "/proc/interrupts",
          "/proc/iomem",
          "/proc/ioports",
          "/proc/kallsyms",
          "/proc/kcore",
          "/proc/key-users",
          "/proc/keys",
          "/proc/latency_stats",
          "/proc/sched_debug",
          "/proc/scsi",
          "/proc/timer_list",
          "/proc/timer_stats",
          "/sys/devices/virtual/powercap",
          "/sys/firmware",
          "/sys/kernel");

  private static final List<String> READ_ONLY =
      List.of("/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger");

  /**
   * Paths that look empty inside.
   *
   * @return the list for the Engine
   */
  @JsonProperty("MaskedPaths")
  public List<String> getMaskedPaths() {
    return MASKED;
  }

  /**
   * Paths that cannot be written inside.
   *
   * @return the list for the Engine
   */
  @JsonProperty("ReadonlyPaths")
  public List<String> getReadonlyPaths() {
    return READ_ONLY;
  }
}
