/** Ends what has lived long enough. */
@NullMarked
package dev.sandboxer.platform.reaper;

import org.jspecify.annotations.NullMarked;
