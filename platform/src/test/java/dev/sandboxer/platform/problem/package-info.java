/** Tests of the errors that callers see. */
@NullMarked
package dev.sandboxer.platform.problem;

import org.jspecify.annotations.NullMarked;
