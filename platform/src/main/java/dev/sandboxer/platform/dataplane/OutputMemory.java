package dev.sandboxer.platform.dataplane;

import java.util.HashMap;
import java.util.Map;

/**
 * Bounds what running commands' output takes of this node's memory, for all of them and for each
 * tenant: a command may run for days. Usable from any thread.
 */
final class OutputMemory {

  private static final int PART_OF_HEAP = 8;

  private final long most;
  private final long mostOfTenant;
  private final Map<String, Long> held = new HashMap<>();
  private long all;

  OutputMemory(long most, long mostOfTenant) {
    this.most = most;
    this.mostOfTenant = mostOfTenant;
  }

  /**
   * An eighth of the heap, because a growing buffer takes up to twice its content; half a tenant.
   */
  static OutputMemory ofHeap(long heap) {
    return new OutputMemory(heap / PART_OF_HEAP, heap / PART_OF_HEAP / 2);
  }

  /** Whether there was room for that many more. */
  synchronized boolean take(String tenant, int bytes) {
    long later = held.getOrDefault(tenant, 0L) + bytes;
    if (all + bytes > most || later > mostOfTenant) {
      return false;
    }
    all += bytes;
    held.put(tenant, later);
    return true;
  }

  synchronized void give(String tenant, long bytes) {
    all -= bytes;
    held.computeIfPresent(tenant, (of, now) -> now > bytes ? now - bytes : null);
  }
}
