package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.platform.trace.Span;
import org.jspecify.annotations.Nullable;

/**
 * What was decided about a request that goes to boxd.
 *
 * @param admitted who asks, and whom
 * @param capability of the route, null if any token will do
 * @param upgrade to a WebSocket, null for a plain request
 * @param rule for the reply's head
 * @param hop the relay's call of boxd, ended with the request
 */
record AdmittedRequest(
    Admission.Outcome.Admitted admitted,
    @Nullable Capability capability,
    @Nullable Upgrade upgrade,
    ReplyRule rule,
    Span hop) {}
