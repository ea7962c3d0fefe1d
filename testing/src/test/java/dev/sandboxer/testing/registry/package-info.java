/** Tests of the registry that other tests use. */
@NullMarked
package dev.sandboxer.testing.registry;

import org.jspecify.annotations.NullMarked;
