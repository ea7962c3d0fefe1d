package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.quota.Asked;
import dev.sandboxer.platform.sandbox.Consumer;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.spi.SandboxSpec;
import java.util.Map;
import java.util.Set;

/**
 * A checked wish for a sandbox.
 *
 * @param tenantId owner
 * @param principalId the key that asks
 * @param extensionId backend that the profile names
 * @param spec the resolved profile
 * @param consumer who asks
 * @param ttlSeconds time to live after ready
 * @param idleSeconds ends it when nobody has used it for so long
 * @param labels of the request
 * @param environment profile's and request's, for boxd alone
 * @param capabilities that tokens may have at most
 */
public record CreateCommand(
    String tenantId,
    String principalId,
    String extensionId,
    SandboxSpec spec,
    Consumer consumer,
    long ttlSeconds,
    long idleSeconds,
    Map<String, String> labels,
    Map<String, String> environment,
    Set<Capability> capabilities) {

  /**
   * Who asks, as quotas want to know it.
   *
   * @return owner, consumer and profile
   */
  public Asked asked() {
    return new Asked(tenantId, consumer, spec.profileId());
  }
}
