package dev.sandboxer.platform.dataplane.wire;

/** Which key a boxd that speaks TLS has to show. Usable from any thread, quick. */
@FunctionalInterface
public interface Pins {

  /**
   * Finds the key.
   *
   * @param sandboxId the raw id
   * @param generation incarnation
   * @return its SubjectPublicKeyInfo, DER
   */
  byte[] publicKey(String sandboxId, int generation);
}
