/** Folders of this machine that are copied into sandboxes, and what comes back of them. */
@NullMarked
package dev.sandboxer.platform.copy;

import org.jspecify.annotations.NullMarked;
