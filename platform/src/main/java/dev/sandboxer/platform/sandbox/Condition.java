package dev.sandboxer.platform.sandbox;

import java.util.List;

/**
 * Something about a sandbox that is no state.
 *
 * @param type such as {@code not_enforced} or {@code unreachable}
 * @param detail facts, such as the limits that are not enforced
 */
public record Condition(String type, List<String> detail) {}
