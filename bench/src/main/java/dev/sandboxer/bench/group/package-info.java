/** The groups of rows, each with its floors. */
@NullMarked
package dev.sandboxer.bench.group;

import org.jspecify.annotations.NullMarked;
