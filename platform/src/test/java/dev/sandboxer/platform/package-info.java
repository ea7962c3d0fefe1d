@NullUnmarked
package dev.sandboxer.platform;

import org.jspecify.annotations.NullUnmarked;
