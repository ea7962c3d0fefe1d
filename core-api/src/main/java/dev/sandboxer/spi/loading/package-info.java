/**
 * How the jars of an extension become classes: the one definition that the platform, {@code
 * sandboxer extension check} and the conformance suite share.
 */
@NullMarked
package dev.sandboxer.spi.loading;

import org.jspecify.annotations.NullMarked;
