/** What can be done on other machines: byte streams to their sockets, commands, and files. */
@NullMarked
package dev.sandboxer.ssh.host;

import org.jspecify.annotations.NullMarked;
