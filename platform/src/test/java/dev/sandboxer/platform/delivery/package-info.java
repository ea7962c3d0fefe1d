@NullUnmarked
package dev.sandboxer.platform.delivery;

import org.jspecify.annotations.NullUnmarked;
