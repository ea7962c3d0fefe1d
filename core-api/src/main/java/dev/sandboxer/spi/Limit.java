package dev.sandboxer.spi;

/** A limit of the profile language that a backend may be able to enforce. */
public enum Limit {
  /** A user of its own on the host. */
  UID,
  /** CPU time. */
  CPUS,
  /** Memory, swap included. */
  MEMORY,
  /** Number of processes and threads. */
  PIDS,
  /** Size of {@code /workspace}. */
  WORKSPACE,
  /** Size of {@code /tmp}. */
  TMP,
  /** Open files of a process. */
  OPEN_FILES
}
