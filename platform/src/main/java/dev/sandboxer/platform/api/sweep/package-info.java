/** {@code /v1/sweeps} and {@code /v1/cleanups}. */
@NullMarked
package dev.sandboxer.platform.api.sweep;

import org.jspecify.annotations.NullMarked;
