/** Ports of a sandbox on this machine. */
@NullMarked
package dev.sandboxer.cli.port;

import org.jspecify.annotations.NullMarked;
