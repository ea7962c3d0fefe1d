/** Pods of a real cluster, beside what kubectl makes of the same image. */
@NullMarked
package dev.sandboxer.bench.kubernetes;

import org.jspecify.annotations.NullMarked;
