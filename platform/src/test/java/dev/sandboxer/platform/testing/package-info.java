/** What tests of several features share: a fresh home and a real database. */
@NullMarked
package dev.sandboxer.platform.testing;

import org.jspecify.annotations.NullMarked;
