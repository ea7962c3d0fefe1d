@NullMarked
package dev.sandboxer.platform.sweep;

import org.jspecify.annotations.NullMarked;
