package dev.sandboxer.platform.connection;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;

/** A bounded number of places, of which each owner may hold some. Usable from any thread. */
public final class Places {

  private final int all;
  private final int each;
  private final AtomicInteger taken = new AtomicInteger();
  private final ConcurrentMap<String, Integer> byOwner = new ConcurrentHashMap<>();

  /**
   * Makes them, all free.
   *
   * @param all how many there are
   * @param each how many one owner may hold
   */
  public Places(int all, int each) {
    this.all = all;
    this.each = each;
  }

  /**
   * Takes a place, to be given back by {@link #free}.
   *
   * @param owner such as an address or a key's id
   * @return false where no place is free for it
   */
  public boolean take(String owner) {
    int held = byOwner.merge(owner, 1, Integer::sum);
    if (taken.incrementAndGet() <= all && held <= each) {
      return true;
    }
    free(owner);
    return false;
  }

  /**
   * Gives a place back.
   *
   * @param owner that took it
   */
  public void free(String owner) {
    taken.decrementAndGet();
    byOwner.computeIfPresent(owner, (known, held) -> held == 1 ? null : held - 1);
  }
}
