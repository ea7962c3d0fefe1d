@NullMarked
package dev.sandboxer.ssh;

import org.jspecify.annotations.NullMarked;
