/** The audit's door, {@code /v1/audit}. */
@NullMarked
package dev.sandboxer.platform.api.audit;

import org.jspecify.annotations.NullMarked;
