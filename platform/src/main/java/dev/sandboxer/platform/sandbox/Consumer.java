package dev.sandboxer.platform.sandbox;

import org.jspecify.annotations.Nullable;

/**
 * Who asked for a sandbox; stands on every event.
 *
 * @param actor {@code adm} a person, {@code agt} an agent, {@code atm} an automation
 * @param project calling repository or service
 * @param sessionId the caller's own session, null if none
 * @param runId the caller's own run, null if none
 */
public record Consumer(
    String actor, String project, @Nullable String sessionId, @Nullable String runId) {}
