@NullUnmarked
package dev.sandboxer.platform.boot;

import org.jspecify.annotations.NullUnmarked;
