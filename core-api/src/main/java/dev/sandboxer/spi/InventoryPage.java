package dev.sandboxer.spi;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Objects of this installation on one host.
 *
 * @param scope what was listed, for a person, such as a daemon's id
 * @param complete whether the pages up to this one are everything; an object that is missing from
 *     an incomplete inventory means nothing
 * @param objects on this page
 * @param nextCursor for the next page, null on the last
 */
public record InventoryPage(
    String scope, boolean complete, List<InventoryObject> objects, @Nullable String nextCursor) {

  /** Keeps an immutable copy. */
  public InventoryPage {
    objects = List.copyOf(objects);
    if (complete && nextCursor != null) {
      throw new IllegalArgumentException("a page with a next one is not complete");
    }
  }

  /**
   * One object.
   *
   * @param identity from its verified label
   * @param providerUid the backend's own id
   * @param createdAt when it was made, as the backend says
   * @param handle to inspect or tear it down
   */
  public record InventoryObject(
      SandboxIdentity identity, String providerUid, Instant createdAt, SandboxHandle handle) {}
}
