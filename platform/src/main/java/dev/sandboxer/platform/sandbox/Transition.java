package dev.sandboxer.platform.sandbox;

import java.util.Map;

/**
 * A change of state, or a notable fact, that has just been written.
 *
 * @param sandbox the row after the change; its {@code eventSeq} is this event's number
 * @param type event type, such as {@code sandbox.ready}
 * @param detail facts for the event, no secrets
 */
public record Transition(Sandbox sandbox, String type, Map<String, Object> detail) {}
