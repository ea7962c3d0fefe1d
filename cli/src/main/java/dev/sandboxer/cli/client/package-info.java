/** The platform's public API over HTTP, and whose key goes where. */
@NullMarked
package dev.sandboxer.cli.client;

import org.jspecify.annotations.NullMarked;
