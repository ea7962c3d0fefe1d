/** Sandboxes that are not what they should be, for the tests of clients. */
@NullMarked
package dev.sandboxer.testing.sandbox;

import org.jspecify.annotations.NullMarked;
