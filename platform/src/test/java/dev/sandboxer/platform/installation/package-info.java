@NullUnmarked
package dev.sandboxer.platform.installation;

import org.jspecify.annotations.NullUnmarked;
