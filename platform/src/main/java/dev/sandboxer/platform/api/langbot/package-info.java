/**
 * The door for LangBot's published Box client: its actions over one WebSocket, and a WebSocket to
 * each managed process.
 */
@NullMarked
package dev.sandboxer.platform.api.langbot;

import org.jspecify.annotations.NullMarked;
