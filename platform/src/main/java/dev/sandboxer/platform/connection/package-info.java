/**
 * The connections of clients: what one may hold before it has said anything of use, and its end.
 */
@NullMarked
package dev.sandboxer.platform.connection;

import org.jspecify.annotations.NullMarked;
