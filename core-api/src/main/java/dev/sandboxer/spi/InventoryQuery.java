package dev.sandboxer.spi;

import org.jspecify.annotations.Nullable;

/**
 * Which objects to list.
 *
 * @param host whose objects
 * @param cursor from the page before, null for the first
 */
public record InventoryQuery(HostRef host, @Nullable String cursor) {}
