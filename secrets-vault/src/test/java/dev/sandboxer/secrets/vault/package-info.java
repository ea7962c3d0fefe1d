@NullUnmarked
package dev.sandboxer.secrets.vault;

import org.jspecify.annotations.NullUnmarked;
