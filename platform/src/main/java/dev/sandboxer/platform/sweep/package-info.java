/** Compares what backends have with what is recorded, and mends what does not agree. */
@NullMarked
package dev.sandboxer.platform.sweep;

import org.jspecify.annotations.NullMarked;
