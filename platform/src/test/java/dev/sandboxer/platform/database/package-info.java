@NullUnmarked
package dev.sandboxer.platform.database;

import org.jspecify.annotations.NullUnmarked;
