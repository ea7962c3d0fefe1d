/** Tests of the package. */
@NullMarked
package dev.sandboxer.platform.mount;

import org.jspecify.annotations.NullMarked;
