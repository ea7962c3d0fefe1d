/** How much a tenant may hold at once, and what is told of requests for more. */
@NullMarked
package dev.sandboxer.platform.quota;

import org.jspecify.annotations.NullMarked;
