/** Backends: loading them, calling them within bounds, and sparing those that fail. */
@NullMarked
package dev.sandboxer.platform.extension;

import org.jspecify.annotations.NullMarked;
