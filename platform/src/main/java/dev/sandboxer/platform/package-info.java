/** The Sandboxer service. A package below is a feature; {@code docs/architecture.md} lists them. */
@NullMarked
package dev.sandboxer.platform;

import org.jspecify.annotations.NullMarked;
