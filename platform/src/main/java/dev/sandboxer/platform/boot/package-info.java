/** From the command line to a listening platform, and back. */
@NullMarked
package dev.sandboxer.platform.boot;

import org.jspecify.annotations.NullMarked;
