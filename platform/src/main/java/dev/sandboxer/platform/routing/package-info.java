/** Which backend a sandbox goes to, and why not to the others. */
@NullMarked
package dev.sandboxer.platform.routing;

import org.jspecify.annotations.NullMarked;
