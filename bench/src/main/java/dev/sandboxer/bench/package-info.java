/** The benchmarks' entry and order. */
@NullMarked
package dev.sandboxer.bench;

import org.jspecify.annotations.NullMarked;
