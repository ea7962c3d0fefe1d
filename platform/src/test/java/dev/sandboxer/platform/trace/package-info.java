/** Tests of traces. */
@NullMarked
package dev.sandboxer.platform.trace;

import org.jspecify.annotations.NullMarked;
