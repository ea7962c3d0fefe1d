package dev.sandboxer.platform.access;

/**
 * Who calls.
 *
 * @param keyId id of the key
 * @param tenantId the key's tenant
 * @param role the key's role
 */
public record Principal(String keyId, String tenantId, Role role) {}
