/** The verb cp: files and folders into a sandbox and out of it. */
@NullMarked
package dev.sandboxer.cli.copy;

import org.jspecify.annotations.NullMarked;
