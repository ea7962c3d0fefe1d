@NullMarked
package dev.sandboxer.platform.api.archive;

import org.jspecify.annotations.NullMarked;
