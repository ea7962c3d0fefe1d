/** The dataplane's WebSockets and their frames, as all features with streams use them. */
@NullMarked
package dev.sandboxer.dataplane.frame;

import org.jspecify.annotations.NullMarked;
