/** Clients that mean harm, and what a well-behaved one sees beside them. */
@NullMarked
package dev.sandboxer.bench.abuse;

import org.jspecify.annotations.NullMarked;
