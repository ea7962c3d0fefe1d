/**
 * Sandboxes: rows, states and the one way to change them. Knows no other feature: each transition
 * is published inside its transaction to whoever implements {@link
 * dev.sandboxer.platform.sandbox.TransitionListener}.
 */
@NullMarked
package dev.sandboxer.platform.sandbox;

import org.jspecify.annotations.NullMarked;
