/** {@code /v1/volumes}: what outlives sandboxes. */
@NullMarked
package dev.sandboxer.platform.api.volume;

import org.jspecify.annotations.NullMarked;
