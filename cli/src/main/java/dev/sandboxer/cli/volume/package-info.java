/** The verbs of named volumes. */
@NullMarked
package dev.sandboxer.cli.volume;

import org.jspecify.annotations.NullMarked;
