@NullUnmarked
package dev.sandboxer.platform.session;

import org.jspecify.annotations.NullUnmarked;
