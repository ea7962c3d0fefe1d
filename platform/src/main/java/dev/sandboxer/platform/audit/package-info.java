/** The audit: who did or was refused what. It only grows, until its retention is over. */
@NullMarked
package dev.sandboxer.platform.audit;

import org.jspecify.annotations.NullMarked;
