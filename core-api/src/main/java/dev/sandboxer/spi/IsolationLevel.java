package dev.sandboxer.spi;

/** What stands between a sandbox and its host, weakest first. */
public enum IsolationLevel {
  /** Namespaces and seccomp around processes of the host's kernel and files. */
  PROCESS,
  /** A container with a root file system of its own. */
  CONTAINER,
  /** A virtual machine. */
  VM
}
