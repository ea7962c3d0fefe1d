/** Which images tenants may use. */
@NullMarked
package dev.sandboxer.platform.image;

import org.jspecify.annotations.NullMarked;
