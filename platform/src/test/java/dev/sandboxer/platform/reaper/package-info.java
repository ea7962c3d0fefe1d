@NullMarked
package dev.sandboxer.platform.reaper;

import org.jspecify.annotations.NullMarked;
