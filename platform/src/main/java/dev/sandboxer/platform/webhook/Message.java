package dev.sandboxer.platform.webhook;

/**
 * What a receiver gets.
 *
 * @param id the same in each try
 * @param type such as {@code sandbox.ready}
 * @param body JSON with {@code type}, {@code timestamp} and {@code data}
 */
record Message(String id, String type, String body) {}
