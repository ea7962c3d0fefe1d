@NullMarked
package dev.sandboxer.platform.api.grant;

import org.jspecify.annotations.NullMarked;
