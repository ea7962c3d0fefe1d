/**
 * What a workspace of a chat platform may have: grants with revisions that only grow, the newest
 * placement, and the managed processes that count against a grant.
 */
@NullMarked
package dev.sandboxer.platform.admission;

import org.jspecify.annotations.NullMarked;
