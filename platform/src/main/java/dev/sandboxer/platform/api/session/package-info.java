/** The session door, {@code /v1/sandbox}: negotiate, refresh, heartbeat, release. */
@NullMarked
package dev.sandboxer.platform.api.session;

import org.jspecify.annotations.NullMarked;
