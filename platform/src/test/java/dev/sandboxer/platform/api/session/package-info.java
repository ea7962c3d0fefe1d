@NullMarked
package dev.sandboxer.platform.api.session;

import org.jspecify.annotations.NullMarked;
