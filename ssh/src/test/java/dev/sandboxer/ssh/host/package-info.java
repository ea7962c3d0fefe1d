@NullMarked
package dev.sandboxer.ssh.host;

import org.jspecify.annotations.NullMarked;
