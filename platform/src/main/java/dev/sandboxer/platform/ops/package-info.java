/** What operators and tests look at: health, metrics, fail points. */
@NullMarked
package dev.sandboxer.platform.ops;

import org.jspecify.annotations.NullMarked;
