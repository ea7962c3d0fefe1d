/** Samples, and taking them side by side. */
@NullMarked
package dev.sandboxer.bench.measure;

import org.jspecify.annotations.NullMarked;
