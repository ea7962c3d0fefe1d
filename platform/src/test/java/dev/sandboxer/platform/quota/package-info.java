@NullUnmarked
package dev.sandboxer.platform.quota;

import org.jspecify.annotations.NullUnmarked;
