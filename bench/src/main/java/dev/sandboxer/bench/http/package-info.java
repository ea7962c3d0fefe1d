/** A client of HTTP/1.1 that costs next to nothing: kept connections, preallocated buffers. */
@NullMarked
package dev.sandboxer.bench.http;

import org.jspecify.annotations.NullMarked;
