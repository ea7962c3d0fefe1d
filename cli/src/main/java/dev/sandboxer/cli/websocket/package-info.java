/** A client for WebSockets (RFC 6455) whose caller blocks, over Netty. */
@NullMarked
package dev.sandboxer.cli.websocket;

import org.jspecify.annotations.NullMarked;
