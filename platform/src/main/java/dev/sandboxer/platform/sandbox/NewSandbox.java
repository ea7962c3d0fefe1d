package dev.sandboxer.platform.sandbox;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sandbox to record.
 *
 * @param id raw id
 * @param tenantId owner
 * @param principalId the key that asks
 * @param profileId resolved profile
 * @param profileVersion resolved version
 * @param extensionId backend
 * @param spec resolved spec as JSON
 * @param specHash SHA-256 of the spec
 * @param consumer who asks
 * @param labels of the request
 * @param envNames names of the environment
 * @param envSealed sealed environment, null if empty
 * @param capabilities that tokens may have at most, by name, null for all
 * @param ttlSeconds time to live after ready
 * @param idleSeconds ends it when nobody has used it for so long
 * @param hardTtlSeconds time that nothing prolongs
 * @param claimOwner worker that has it claimed from the start
 * @param traceParent span that asks, null if nothing is traced
 */
@SuppressWarnings("ArrayRecordComponent") // carried to one insert, never compared
public record NewSandbox(
    String id,
    String tenantId,
    String principalId,
    String profileId,
    int profileVersion,
    String extensionId,
    String spec,
    byte[] specHash,
    Consumer consumer,
    Map<String, String> labels,
    List<String> envNames,
    byte @Nullable [] envSealed,
    @Nullable List<String> capabilities,
    long ttlSeconds,
    long idleSeconds,
    long hardTtlSeconds,
    String claimOwner,
    @Nullable String traceParent) {}
