/** The command `sandboxer`: its entry, its root, its exit codes. */
@NullMarked
package dev.sandboxer.cli;

import org.jspecify.annotations.NullMarked;
