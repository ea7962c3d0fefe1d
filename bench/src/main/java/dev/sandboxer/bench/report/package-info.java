/** Rows, and how they are shown. */
@NullMarked
package dev.sandboxer.bench.report;

import org.jspecify.annotations.NullMarked;
