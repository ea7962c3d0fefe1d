/**
 * The conformance suite for extensions. A test class that extends {@link
 * dev.sandboxer.tck.ExtensionTck} and describes its surroundings in an {@link
 * dev.sandboxer.tck.Environment} is the whole work of an author.
 *
 * <p>No platform runs. The suite loads the extension in a class loader of its own, as the platform
 * does, lends it folders and a signing key, and starts the real boxd. Each failure names the
 * promise of {@code dev.sandboxer.spi} that is broken, what was seen, and what to do.
 */
@NullMarked
package dev.sandboxer.tck;

import org.jspecify.annotations.NullMarked;
