package dev.sandboxer.platform.sandbox;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.spi.SandboxSpec;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox to record.
 *
 * @param id of the sandbox
 * @param tenantId owner
 * @param principalId the key that asks
 * @param candidates backends that the profile allows, in its order
 * @param routing how it is to be routed, as JSON
 * @param extensionId the first to try
 * @param spec resolved profile
 * @param consumer who asks
 * @param labels of the request
 * @param envNames names of the environment
 * @param envSealed sealed environment, null if empty
 * @param capabilities that tokens may have at most, by name, null for all
 * @param ttlSeconds time to live after ready
 * @param idleSeconds ends it when nobody has used it for so long
 * @param claimOwner worker that has it claimed from the start
 * @param traceParent span that asks, null if nothing is traced
 */
@SuppressWarnings("ArrayRecordComponent") // carried to one insert, never compared
public record NewSandbox(
    SandboxId id,
    String tenantId,
    String principalId,
    List<ExtensionId> candidates,
    String routing,
    ExtensionId extensionId,
    SandboxSpec spec,
    Consumer consumer,
    Map<String, String> labels,
    List<String> envNames,
    byte @Nullable [] envSealed,
    @Nullable List<String> capabilities,
    long ttlSeconds,
    long idleSeconds,
    String claimOwner,
    @Nullable String traceParent) {}
