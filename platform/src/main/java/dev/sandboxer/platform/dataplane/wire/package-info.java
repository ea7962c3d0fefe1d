/**
 * A small HTTP/1.1 client for a hostile server, over any {@link Transport}. It reads only what boxd
 * has to send: one framing, no folded lines, bounded heads, no redirects, no compression.
 * Everything runs on one event loop and streams with back-pressure.
 */
@NullMarked
package dev.sandboxer.platform.dataplane.wire;

import org.jspecify.annotations.NullMarked;
