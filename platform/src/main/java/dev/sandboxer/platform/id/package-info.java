/** Ids of everything that has one. */
@NullMarked
package dev.sandboxer.platform.id;

import org.jspecify.annotations.NullMarked;
