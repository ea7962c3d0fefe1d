/** What is measured: the kernel, nsjail, a bare boxd, and the platform as a user starts it. */
@NullMarked
package dev.sandboxer.bench.subject;

import org.jspecify.annotations.NullMarked;
