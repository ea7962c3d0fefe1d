@NullMarked
package dev.sandboxer.testing.report;

import org.jspecify.annotations.NullMarked;
