/** One sandbox's dataplane: commands over a WebSocket, files as tar. */
@NullMarked
package dev.sandboxer.cli.dataplane;

import org.jspecify.annotations.NullMarked;
