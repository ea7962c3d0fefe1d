package dev.sandboxer.spi;

import java.util.List;

/**
 * What a teardown did.
 *
 * @param removed provider uids of what was removed now
 * @param left what still exists; the teardown is tried again until nothing is left
 * @param foreign what bears the sandbox's name and is somebody else's: told, and left alone for
 *     ever
 */
public record CleanupReport(List<String> removed, List<Leftover> left, List<Leftover> foreign) {

  /** Nothing was there, nothing is left. */
  public static final CleanupReport NOTHING = new CleanupReport(List.of(), List.of());

  /** Keeps immutable copies. */
  public CleanupReport {
    removed = List.copyOf(removed);
    left = List.copyOf(left);
    foreign = List.copyOf(foreign);
  }

  /**
   * Makes a report without anything foreign.
   *
   * @param removed provider uids of what was removed now
   * @param left what still exists
   */
  public CleanupReport(List<String> removed, List<Leftover> left) {
    this(removed, left, List.of());
  }

  /**
   * Whether the backend was seen without a trace of the sandbox. What is foreign is none.
   *
   * @return true if nothing is left
   */
  public boolean clean() {
    return left.isEmpty();
  }

  /**
   * Something that could not, or may not, be removed.
   *
   * @param providerUid the backend's own id
   * @param reason for a person
   */
  public record Leftover(String providerUid, String reason) {}
}
