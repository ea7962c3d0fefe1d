package dev.sandboxer.spi;

/** What became of a sandbox, as the backend sees it. */
public sealed interface Inspection {

  /** It runs. */
  record Running() implements Inspection {}

  /** It is suspended. */
  record Suspended() implements Inspection {}

  /**
   * It has ended by itself, and its remains are still there.
   *
   * @param reason why, such as {@link ErrorCode#OOM} or {@link ErrorCode#CRASH}
   * @param detail for a person
   */
  record Ended(ErrorCode reason, String detail) implements Inspection {}

  /** The backend answered and has no trace of it. */
  record Gone() implements Inspection {}

  /**
   * The backend did not answer or its answer says nothing.
   *
   * @param detail for a person
   */
  record Unknown(String detail) implements Inspection {}
}
