/** The machine of a host: how it is reached, and what is run there. */
@NullMarked
package dev.sandboxer.ext.compose.host;

import org.jspecify.annotations.NullMarked;
