package dev.sandboxer.platform.dataplane.wire;

import dev.sandboxer.spi.ByteStreamOpener;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;

/** How many streams each opener has, and who waits for one. Usable from any thread. */
final class StreamSlots {

  private final Map<ByteStreamOpener, Slots> openers = new HashMap<>();

  private static final class Slots {
    private final int most;
    private final Deque<Runnable> waiting = new ArrayDeque<>();
    private int taken;

    private Slots(int most) {
      this.most = most;
    }
  }

  /**
   * Takes a slot, now or once one is free.
   *
   * @param opener whose
   * @param granted runs once the slot is taken, on any thread
   * @return whether it has run already
   */
  boolean take(ByteStreamOpener opener, Runnable granted) {
    synchronized (this) {
      Slots slots =
          openers.computeIfAbsent(opener, one -> new Slots(Math.max(1, one.maxStreams())));
      if (slots.taken >= slots.most) {
        slots.waiting.addLast(granted);
        return false;
      }
      slots.taken++;
    }
    granted.run();
    return true;
  }

  /**
   * Waits no longer.
   *
   * @return false if the slot was granted before
   */
  synchronized boolean giveUp(ByteStreamOpener opener, Runnable granted) {
    Slots slots = openers.get(opener);
    return slots != null && slots.waiting.remove(granted);
  }

  /** Gives a slot back, to who has waited the longest. */
  void free(ByteStreamOpener opener) {
    Runnable next;
    synchronized (this) {
      Slots slots = openers.get(opener);
      if (slots == null) {
        return;
      }
      next = slots.waiting.pollFirst();
      if (next == null && --slots.taken == 0) {
        openers.remove(opener);
      }
    }
    if (next != null) {
      next.run();
    }
  }

  synchronized boolean awaited(ByteStreamOpener opener) {
    Slots slots = openers.get(opener);
    return slots != null && !slots.waiting.isEmpty();
  }
}
