/** What the tests of several modules share. No part of the product. */
@NullMarked
package dev.sandboxer.testing;

import org.jspecify.annotations.NullMarked;
