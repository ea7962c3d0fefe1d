package dev.sandboxer.cli.copy;

import dev.sandboxer.dataplane.file.Progress;

/** Remembers how many bytes went through, and tells another. */
final class Counting implements Progress {
  private final Progress next;
  private volatile long total;

  Counting(Progress next) {
    this.next = next;
  }

  @Override
  public void moved(long now) {
    total = now;
    next.moved(now);
  }

  long total() {
    return total;
  }
}
