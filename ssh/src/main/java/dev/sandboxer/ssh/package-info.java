/**
 * SSH to other machines. It knows nothing of what the streams and commands are for.
 *
 * <p>This package has the values: where a machine is, how the two sides know each other, and what
 * can fail. {@code dev.sandboxer.ssh.host} has what can be done there, {@code
 * dev.sandboxer.ssh.wire} how.
 */
@NullMarked
package dev.sandboxer.ssh;

import org.jspecify.annotations.NullMarked;
