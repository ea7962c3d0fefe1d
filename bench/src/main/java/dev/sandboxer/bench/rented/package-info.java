/** Sandboxes of the counterpart of E2B's cloud, beside its own requests. */
@NullMarked
package dev.sandboxer.bench.rented;

import org.jspecify.annotations.NullMarked;
