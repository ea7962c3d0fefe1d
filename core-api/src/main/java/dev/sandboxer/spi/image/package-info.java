/**
 * Names of container images, which of them may be used, and logins of the registries they are in.
 */
@NullMarked
package dev.sandboxer.spi.image;

import org.jspecify.annotations.NullMarked;
