/**
 * Boxes: one sandbox for each scope of a tenant. A scope is what a template makes of variables such
 * as the chat and the sender, or an id that the caller chose.
 */
@NullMarked
package dev.sandboxer.platform.box;

import org.jspecify.annotations.NullMarked;
