package dev.sandboxer.spi;

import java.util.List;

/**
 * What a teardown did.
 *
 * @param removed provider uids of what was removed now
 * @param left what still exists
 */
public record CleanupReport(List<String> removed, List<Leftover> left) {

  /** Nothing was there, nothing is left. */
  public static final CleanupReport NOTHING = new CleanupReport(List.of(), List.of());

  /** Keeps immutable copies. */
  public CleanupReport {
    removed = List.copyOf(removed);
    left = List.copyOf(left);
  }

  /**
   * Whether the backend was seen without a trace of the sandbox.
   *
   * @return true if nothing is left
   */
  public boolean clean() {
    return left.isEmpty();
  }

  /**
   * Something that could not be removed.
   *
   * @param providerUid the backend's own id
   * @param reason for a person
   */
  public record Leftover(String providerUid, String reason) {}
}
