package dev.sandboxer.platform.admission;

/**
 * A workspace of a chat platform.
 *
 * @param tenantId owner of its boxes
 * @param instance of the chat platform
 * @param id within the instance
 */
public record Workspace(String tenantId, String instance, String id) {}
