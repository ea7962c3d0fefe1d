/** Tests of the verb extension. */
@NullMarked
package dev.sandboxer.cli.extension;

import org.jspecify.annotations.NullMarked;
