/** Tests of the package. */
@NullMarked
package dev.sandboxer.platform.webhook;

import org.jspecify.annotations.NullMarked;
