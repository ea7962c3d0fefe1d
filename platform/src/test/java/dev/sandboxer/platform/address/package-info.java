/** Tests of the package. */
@NullMarked
package dev.sandboxer.platform.address;

import org.jspecify.annotations.NullMarked;
