/** A backend that does nothing, for measuring what the platform itself costs. */
@NullMarked
package dev.sandboxer.bench.backend;

import org.jspecify.annotations.NullMarked;
