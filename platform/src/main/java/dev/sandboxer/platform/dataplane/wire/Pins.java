package dev.sandboxer.platform.dataplane.wire;

import dev.sandboxer.platform.id.SandboxId;

/** Which key a boxd that speaks TLS has to show. Usable from any thread, quick. */
@FunctionalInterface
public interface Pins {

  /**
   * Finds the key.
   *
   * @param sandboxId the sandbox's id
   * @param generation incarnation
   * @return its SubjectPublicKeyInfo, DER
   */
  byte[] publicKey(SandboxId sandboxId, int generation);
}
