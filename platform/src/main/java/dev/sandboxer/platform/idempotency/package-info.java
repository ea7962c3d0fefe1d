/** A create that is sent twice happens once (draft-ietf-httpapi-idempotency-key-header-07). */
@NullMarked
package dev.sandboxer.platform.idempotency;

import org.jspecify.annotations.NullMarked;
