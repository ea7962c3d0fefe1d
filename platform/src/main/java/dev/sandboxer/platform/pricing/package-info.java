/** What a sandbox costs at each place: the operator's price lists and the backends' own quotes. */
@NullMarked
package dev.sandboxer.platform.pricing;

import org.jspecify.annotations.NullMarked;
