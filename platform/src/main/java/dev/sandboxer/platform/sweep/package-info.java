/** Compares what backends have with what is recorded. It reports, and changes nothing. */
@NullMarked
package dev.sandboxer.platform.sweep;

import org.jspecify.annotations.NullMarked;
