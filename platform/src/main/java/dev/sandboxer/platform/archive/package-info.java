/**
 * Archives that sandboxes are made of. An upload is stored once per tenant and content, and kept as
 * long as a sandbox has it; an option of the profile names it.
 */
@NullMarked
package dev.sandboxer.platform.archive;

import org.jspecify.annotations.NullMarked;
