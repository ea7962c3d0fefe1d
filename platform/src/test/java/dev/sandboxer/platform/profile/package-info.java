@NullUnmarked
package dev.sandboxer.platform.profile;

import org.jspecify.annotations.NullUnmarked;
