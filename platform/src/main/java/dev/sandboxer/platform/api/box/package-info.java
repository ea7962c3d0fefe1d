/** {@code /v1/boxes} and {@code /v1/box-templates}. */
@NullMarked
package dev.sandboxer.platform.api.box;

import org.jspecify.annotations.NullMarked;
