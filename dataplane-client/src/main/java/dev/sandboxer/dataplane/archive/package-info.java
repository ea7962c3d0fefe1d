/** Tar in both directions; what comes from a sandbox is hostile. */
@NullMarked
package dev.sandboxer.dataplane.archive;

import org.jspecify.annotations.NullMarked;
