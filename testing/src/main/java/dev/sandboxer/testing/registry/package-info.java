/** A real registry of container images and what tests put into it. */
@NullMarked
package dev.sandboxer.testing.registry;

import org.jspecify.annotations.NullMarked;
