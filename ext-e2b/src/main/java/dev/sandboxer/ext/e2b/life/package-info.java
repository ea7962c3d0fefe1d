/** The life of a sandbox, from its creation until it was seen gone. */
@NullMarked
package dev.sandboxer.ext.e2b.life;

import org.jspecify.annotations.NullMarked;
