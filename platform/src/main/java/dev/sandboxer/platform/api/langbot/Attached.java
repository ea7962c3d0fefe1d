package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.id.SandboxId;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The managed processes whose output this node's clients read. */
@ApplicationScoped
class Attached {

  private final Set<Attachment> all = ConcurrentHashMap.newKeySet();
  private final Map<Attachment, Long> readTo = new ConcurrentHashMap<>();

  private record Attachment(SandboxId sandbox, String processId) {}

  boolean add(SandboxId sandbox, String processId) {
    return all.add(new Attachment(sandbox, processId));
  }

  void remove(SandboxId sandbox, String processId) {
    all.remove(new Attachment(sandbox, processId));
  }

  /** How far a client has read, before that is saved: the next one may ask at once. */
  void reads(SandboxId sandbox, String processId, long to) {
    readTo.merge(new Attachment(sandbox, processId), to, Math::max);
  }

  /** What is saved is no longer kept here. */
  void saved(SandboxId sandbox, String processId, long to) {
    readTo.remove(new Attachment(sandbox, processId), to);
  }

  /** How far clients of this node have read beyond what is saved; 0 where all is. */
  long readTo(SandboxId sandbox, String processId) {
    return readTo.getOrDefault(new Attachment(sandbox, processId), 0L);
  }

  boolean has(SandboxId sandbox, String processId) {
    return all.contains(new Attachment(sandbox, processId));
  }
}
