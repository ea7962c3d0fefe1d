/** The values of the extension interface. */
@NullMarked
package dev.sandboxer.spi;

import org.jspecify.annotations.NullMarked;
