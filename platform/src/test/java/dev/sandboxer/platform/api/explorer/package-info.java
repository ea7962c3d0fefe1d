@NullMarked
package dev.sandboxer.platform.api.explorer;

import org.jspecify.annotations.NullMarked;
