/** The relay: {@code /dp/{sandbox}/v1/...} to boxd, and the platform's own calls to boxd. */
@NullMarked
package dev.sandboxer.platform.dataplane;

import org.jspecify.annotations.NullMarked;
