/** {@code /v1/hosts}. */
@NullMarked
package dev.sandboxer.platform.api.host;

import org.jspecify.annotations.NullMarked;
