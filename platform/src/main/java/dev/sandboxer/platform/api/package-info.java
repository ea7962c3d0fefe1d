/** The HTTP API: what every front door shares. Calls services; no service knows it. */
@NullMarked
package dev.sandboxer.platform.api;

import org.jspecify.annotations.NullMarked;
