/**
 * How a strategy orders the places where a sandbox may go. A folder of jars with one {@link
 * dev.sandboxer.spi.routing.RoutingStrategy} adds a strategy.
 */
@NullMarked
package dev.sandboxer.spi.routing;

import org.jspecify.annotations.NullMarked;
