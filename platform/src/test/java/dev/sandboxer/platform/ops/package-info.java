@NullMarked
package dev.sandboxer.platform.ops;

import org.jspecify.annotations.NullMarked;
