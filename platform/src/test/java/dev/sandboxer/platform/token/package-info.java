/** Tests of tokens. */
@NullMarked
package dev.sandboxer.platform.token;

import org.jspecify.annotations.NullMarked;
