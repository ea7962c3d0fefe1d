/**
 * Sandboxes that are rented from E2B's cloud, or from an installation that speaks its API. A host
 * is an account. boxd is uploaded through envd, E2B's own daemon, and reached through E2B's edge.
 */
@NullMarked
package dev.sandboxer.ext.e2b;

import org.jspecify.annotations.NullMarked;
