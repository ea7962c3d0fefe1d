package dev.sandboxer.platform.copy;

import java.util.List;

/**
 * What came back of a copied folder.
 *
 * @param written files, folders and links that were written on the host
 * @param removed that were removed there
 * @param bytes of the files that were written
 * @param conflicts paths that both sides had changed, the first hundred
 * @param skipped paths that were not taken, the first hundred
 */
public record CopyReport(
    int written, int removed, long bytes, List<Conflict> conflicts, List<Skipped> skipped) {

  /** Of a sandbox that has no such folder any more. */
  public static final CopyReport FOLDER_GONE =
      new CopyReport(
          0,
          0,
          0,
          List.of(),
          List.of(new Skipped(".", "the sandbox has removed the whole folder; nothing was taken")));

  /** Keeps immutable copies. */
  public CopyReport {
    conflicts = List.copyOf(conflicts);
    skipped = List.copyOf(skipped);
  }

  /**
   * A path that both sides changed. The host's version is untouched.
   *
   * @param path relative to the folder
   * @param kept where the sandbox's version is, relative to the folder; empty if the sandbox had
   *     removed it
   */
  public record Conflict(String path, String kept) {}

  /**
   * A path that was not taken.
   *
   * @param path relative to the folder
   * @param why for a person
   */
  public record Skipped(String path, String why) {}

  /**
   * Whether somebody should hear of it.
   *
   * @return false if nothing was written, removed, doubtful or left out
   */
  public boolean notable() {
    return written + removed > 0 || !conflicts.isEmpty() || !skipped.isEmpty();
  }
}
