/** What events cost, how soon they arrive, and that no receiver slows a sandbox. */
@NullMarked
package dev.sandboxer.bench.event;

import org.jspecify.annotations.NullMarked;
