@NullUnmarked
package dev.sandboxer.platform.extension;

import org.jspecify.annotations.NullUnmarked;
