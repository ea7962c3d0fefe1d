/** What the setup steps of profiles have made, kept for the sandboxes that come later. */
@NullMarked
package dev.sandboxer.platform.setup;

import org.jspecify.annotations.NullMarked;
