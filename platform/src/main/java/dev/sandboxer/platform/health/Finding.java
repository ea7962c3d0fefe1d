package dev.sandboxer.platform.health;

/**
 * How one thing fares: the database, a backend, a sink.
 *
 * @param name such as {@code ext.docker}
 * @param ok whether an operator has nothing to do
 * @param detail for an operator
 */
public record Finding(String name, boolean ok, String detail) {}
