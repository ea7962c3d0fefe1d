package dev.sandboxer.platform.admission;

import java.time.Instant;

/**
 * What a workspace may have until then.
 *
 * @param generation placement that it is for
 * @param revision from 1; one that is lower than another that was seen does not count
 * @param expiresAt when it ends by itself
 * @param maxSessions living boxes at once
 * @param maxManagedProcesses managed processes at once, in all its boxes
 */
public record AdmissionGrant(
    long generation, long revision, Instant expiresAt, int maxSessions, int maxManagedProcesses) {}
