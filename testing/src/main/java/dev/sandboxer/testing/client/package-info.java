/** A caller of the HTTP API, and what every test expects of what the platform tells. */
@NullMarked
package dev.sandboxer.testing.client;

import org.jspecify.annotations.NullMarked;
