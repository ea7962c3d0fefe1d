package dev.sandboxer.cli.events;

/**
 * One of Server-Sent Events.
 *
 * @param id where to go on after it; empty if none was told yet
 * @param event its name
 * @param data empty for a sign of life
 */
record Message(String id, String event, String data) {}
