/** Byte streams to ports inside a sandbox. */
@NullMarked
package dev.sandboxer.dataplane.port;

import org.jspecify.annotations.NullMarked;
