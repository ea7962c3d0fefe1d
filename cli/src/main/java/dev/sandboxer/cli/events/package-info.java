/** The verb events: what happened, and what happens. */
@NullMarked
package dev.sandboxer.cli.events;

import org.jspecify.annotations.NullMarked;
