/** Files and folders of a sandbox. */
@NullMarked
package dev.sandboxer.dataplane.file;

import org.jspecify.annotations.NullMarked;
