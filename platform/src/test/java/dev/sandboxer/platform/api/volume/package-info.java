@NullMarked
package dev.sandboxer.platform.api.volume;

import org.jspecify.annotations.NullMarked;
