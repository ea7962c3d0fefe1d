/** A client for WebSockets (RFC 6455) whose caller blocks, over Netty. */
@NullMarked
package dev.sandboxer.dataplane.websocket;

import org.jspecify.annotations.NullMarked;
