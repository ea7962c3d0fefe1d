package dev.sandboxer.platform.dataplane.wire;

import dev.sandboxer.platform.id.SandboxId;

/** What a node shows to another one that is to open a stream for it. */
@FunctionalInterface
public interface PeerTokens {

  /**
   * A token for one sandbox on one node. Quick.
   *
   * @param node that will check it
   * @param sandboxId the sandbox's id
   * @param generation incarnation
   * @return good for some seconds at least
   */
  String token(String node, SandboxId sandboxId, int generation);
}
