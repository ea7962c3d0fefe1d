/** What 10,000 live sandboxes in the records cost, and how soon recorded work is done. */
@NullMarked
package dev.sandboxer.bench.records;

import org.jspecify.annotations.NullMarked;
