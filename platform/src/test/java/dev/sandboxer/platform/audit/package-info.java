@NullUnmarked
package dev.sandboxer.platform.audit;

import org.jspecify.annotations.NullUnmarked;
