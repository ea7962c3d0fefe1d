/** What is done on another machine through SSH, beside the same done on this one. */
@NullMarked
package dev.sandboxer.bench.ssh;

import org.jspecify.annotations.NullMarked;
