/** The suite's own tests: it passes what is sound, and fails what is not for the right reason. */
@NullMarked
package dev.sandboxer.tck;

import org.jspecify.annotations.NullMarked;
