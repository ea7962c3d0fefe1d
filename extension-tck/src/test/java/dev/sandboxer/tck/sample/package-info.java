/** An extension that is sound, and many that are not, each in one way. */
@NullMarked
package dev.sandboxer.tck.sample;

import org.jspecify.annotations.NullMarked;
