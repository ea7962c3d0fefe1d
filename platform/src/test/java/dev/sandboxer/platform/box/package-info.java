@NullMarked
package dev.sandboxer.platform.box;

import org.jspecify.annotations.NullMarked;
