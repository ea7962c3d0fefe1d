/**
 * What receives events: the second, small interface for plug-ins. A sink is a folder of jars with
 * one {@link dev.sandboxer.spi.sink.EventSinkProvider} that {@link java.util.ServiceLoader} finds;
 * class loader, threads and deadline are as for extensions (promises 1 to 3 of {@link
 * dev.sandboxer.spi}).
 *
 * <ol>
 *   <li><b>Order.</b> Events of one subject come one at a time, in order of {@code seq}; those of
 *       different subjects at once.
 *   <li><b>At least once.</b> What {@code deliver} did not return from normally comes again, with
 *       the same id.
 *   <li><b>Patience.</b> A sink that is away is asked again until it is back. An event that it
 *       refuses for good is set aside, with all later ones of its subject, until an operator
 *       replays or skips it.
 * </ol>
 */
@NullMarked
package dev.sandboxer.spi.sink;

import org.jspecify.annotations.NullMarked;
