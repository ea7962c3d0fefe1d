/** HTTP clients that send a token to no other host and hold no endless reply. */
@NullMarked
package dev.sandboxer.dataplane.http;

import org.jspecify.annotations.NullMarked;
