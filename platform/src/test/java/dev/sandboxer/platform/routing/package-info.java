@NullMarked
package dev.sandboxer.platform.routing;

import org.jspecify.annotations.NullMarked;
