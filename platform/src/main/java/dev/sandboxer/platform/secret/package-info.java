/**
 * Secrets that profiles refer to: what the operator has granted, where it is read, and for how long
 * a value is used without being read again.
 */
@NullMarked
package dev.sandboxer.platform.secret;

import org.jspecify.annotations.NullMarked;
