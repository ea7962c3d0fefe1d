@NullMarked
package dev.sandboxer.platform.host;

import org.jspecify.annotations.NullMarked;
