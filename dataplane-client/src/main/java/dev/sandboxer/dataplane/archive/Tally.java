package dev.sandboxer.dataplane.archive;

import java.util.ArrayList;
import java.util.List;

/**
 * What went through an archive.
 *
 * @param files files and links
 * @param bytes their contents
 * @param skipped names of what was left out because it is no file or leads out of the folder; at
 *     most {@value #MOST_NAMES}
 * @param skippedCount how many were left out
 */
public record Tally(int files, long bytes, List<String> skipped, int skippedCount) {
  private static final int MOST_NAMES = 5;

  public Tally {
    skipped = List.copyOf(skipped);
  }

  /** Counts while it goes on. */
  static final class Builder {
    private final List<String> skipped = new ArrayList<>();
    private int files;
    private long bytes;
    private int skippedCount;

    void file(long size) {
      files++;
      bytes += size;
    }

    void skipped(String name) {
      skippedCount++;
      if (skipped.size() < MOST_NAMES) {
        skipped.add(name);
      }
    }

    Tally build() {
      return new Tally(files, bytes, skipped, skippedCount);
    }
  }
}
