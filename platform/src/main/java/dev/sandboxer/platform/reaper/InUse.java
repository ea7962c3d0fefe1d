package dev.sandboxer.platform.reaper;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.sandbox.Sandbox;
import java.util.List;
import java.util.Set;

/** Knows sandboxes that are in use though nobody has called them. */
public interface InUse {

  /**
   * Looks at sandboxes before they end for being idle. A pass of the reaper waits for it.
   *
   * @param unused those that nobody has called for their idle time, at most 200
   * @return those of them that go on
   */
  Set<SandboxId> among(List<Sandbox> unused);
}
