@NullUnmarked
package dev.sandboxer.platform.event;

import org.jspecify.annotations.NullUnmarked;
