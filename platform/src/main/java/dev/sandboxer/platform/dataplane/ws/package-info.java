/**
 * WebSocket frames as the relay needs them: it follows both directions without keeping what it
 * passes on, looks into small text messages of clients, and says something of its own between two
 * frames. Everything runs on one event loop.
 */
@NullMarked
package dev.sandboxer.platform.dataplane.ws;

import org.jspecify.annotations.NullMarked;
