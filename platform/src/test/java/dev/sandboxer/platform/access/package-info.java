/** Tests of keys and limits. */
@NullMarked
package dev.sandboxer.platform.access;

import org.jspecify.annotations.NullMarked;
