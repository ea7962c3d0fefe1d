/**
 * The log of what happened: each transition is an event, written in the transaction of its cause.
 */
@NullMarked
package dev.sandboxer.platform.event;

import org.jspecify.annotations.NullMarked;
