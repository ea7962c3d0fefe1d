/**
 * One connection and its channels, over sshj. The channels are our own: sshj's give up writing
 * after 30 s, wait when they are cancelled, and end the whole connection when late data arrives.
 */
@NullMarked
package dev.sandboxer.ssh.wire;

import org.jspecify.annotations.NullMarked;
