/** The page {@code /docs}: the API to read and to try, for this machine alone. */
@NullMarked
package dev.sandboxer.platform.api.explorer;

import org.jspecify.annotations.NullMarked;
