/** What a whole run of the tests says at its end. */
@NullMarked
package dev.sandboxer.testing.report;

import org.jspecify.annotations.NullMarked;
