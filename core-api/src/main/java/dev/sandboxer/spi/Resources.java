package dev.sandboxer.spi;

import java.math.BigDecimal;

/**
 * Limits of one sandbox.
 *
 * @param cpus share of CPUs, above 0
 * @param memoryBytes memory with swap
 * @param pids processes and threads of user code; boxd's own come on top, see {@link
 *     Daemon#RESERVED_PIDS}
 * @param workspaceBytes size of {@code /workspace}
 * @param tmpBytes size of {@code /tmp}
 * @param openFiles open files of a process
 */
public record Resources(
    BigDecimal cpus,
    long memoryBytes,
    int pids,
    long workspaceBytes,
    long tmpBytes,
    int openFiles) {

  /** Checks that all are positive. */
  public Resources {
    if (cpus.signum() <= 0) {
      throw new IllegalArgumentException("cpus " + cpus + " must be above 0");
    }
    if (memoryBytes <= 0 || pids <= 0 || workspaceBytes <= 0 || tmpBytes <= 0 || openFiles <= 0) {
      throw new IllegalArgumentException("limits must be above 0");
    }
  }
}
