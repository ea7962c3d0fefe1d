package dev.sandboxer.spi;

/** What a failed call left on the backend. */
public sealed interface Outcome {

  /** Certainly nothing. */
  record NothingCreated() implements Outcome {}

  /**
   * Something that this handle names; the platform tears it down.
   *
   * @param handle of what exists
   */
  record Created(SandboxHandle handle) implements Outcome {}

  /** Perhaps something, perhaps later; the platform follows it up by the identity. */
  record Unknown() implements Outcome {}

  /** Certainly nothing. */
  Outcome NOTHING_CREATED = new NothingCreated();

  /** Perhaps something. */
  Outcome UNKNOWN = new Unknown();
}
