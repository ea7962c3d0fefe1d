/** Tests of names of images. */
@NullMarked
package dev.sandboxer.spi.image;

import org.jspecify.annotations.NullMarked;
