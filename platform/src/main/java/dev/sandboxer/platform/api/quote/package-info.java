/** {@code /v1/quotes}: what a sandbox would cost. */
@NullMarked
package dev.sandboxer.platform.api.quote;

import org.jspecify.annotations.NullMarked;
