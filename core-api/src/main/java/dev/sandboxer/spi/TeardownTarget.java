package dev.sandboxer.spi;

/** What to tear down. */
public sealed interface TeardownTarget {

  /**
   * Whose it is; checked against the object's label.
   *
   * @return the identity
   */
  SandboxIdentity identity();

  /**
   * A sandbox whose handle is known.
   *
   * @param identity of the attempt
   * @param handle from {@code provision} or {@code find}
   */
  record ByHandle(SandboxIdentity identity, SandboxHandle handle) implements TeardownTarget {}

  /**
   * Whatever carries an identity.
   *
   * @param identity of the attempt
   */
  record ByIdentity(SandboxIdentity identity) implements TeardownTarget {}
}
