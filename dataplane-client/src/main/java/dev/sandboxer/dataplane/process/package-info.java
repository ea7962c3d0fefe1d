/** Managed processes, which go on without a client, and what they wrote. */
@NullMarked
package dev.sandboxer.dataplane.process;

import org.jspecify.annotations.NullMarked;
