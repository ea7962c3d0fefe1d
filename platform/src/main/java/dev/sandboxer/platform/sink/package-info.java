/** Sinks of events that the operator sets up. */
@NullMarked
package dev.sandboxer.platform.sink;

import org.jspecify.annotations.NullMarked;
