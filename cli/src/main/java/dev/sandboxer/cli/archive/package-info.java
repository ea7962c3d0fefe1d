/** The verbs of archives that sandboxes are made of. */
@NullMarked
package dev.sandboxer.cli.archive;

import org.jspecify.annotations.NullMarked;
