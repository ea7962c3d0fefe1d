package dev.sandboxer.platform.api.langbot;

import dev.sandboxer.platform.id.SandboxId;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The managed processes whose output this node's clients read. */
@ApplicationScoped
class Attached {

  private final Set<Attachment> all = ConcurrentHashMap.newKeySet();

  private record Attachment(SandboxId sandbox, String processId) {}

  boolean add(SandboxId sandbox, String processId) {
    return all.add(new Attachment(sandbox, processId));
  }

  void remove(SandboxId sandbox, String processId) {
    all.remove(new Attachment(sandbox, processId));
  }

  boolean has(SandboxId sandbox, String processId) {
    return all.contains(new Attachment(sandbox, processId));
  }
}
