/** The grant door, {@code /sandbox}: acquire, refresh, release. */
@NullMarked
package dev.sandboxer.platform.api.grant;

import org.jspecify.annotations.NullMarked;
