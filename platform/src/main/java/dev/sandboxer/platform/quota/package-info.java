/** How much a tenant may hold at once. */
@NullMarked
package dev.sandboxer.platform.quota;

import org.jspecify.annotations.NullMarked;
