@NullMarked
package dev.sandboxer.platform.pricing;

import org.jspecify.annotations.NullMarked;
