package dev.sandboxer.platform.idempotency;

/**
 * A caller's key for one create.
 *
 * @param tenantId of the caller
 * @param principalId of the caller
 * @param route method and path template
 * @param key as the caller chose it
 * @param fingerprint SHA-256 of what was sent
 */
@SuppressWarnings("ArrayRecordComponent") // carried to SQL, never compared
public record IdempotencyKey(
    String tenantId, String principalId, String route, String key, byte[] fingerprint) {}
