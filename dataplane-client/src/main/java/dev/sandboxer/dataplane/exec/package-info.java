/** Commands in a sandbox and shells, with all three standard streams. */
@NullMarked
package dev.sandboxer.dataplane.exec;

import org.jspecify.annotations.NullMarked;
