@NullMarked
package dev.sandboxer.platform.api.quote;

import org.jspecify.annotations.NullMarked;
