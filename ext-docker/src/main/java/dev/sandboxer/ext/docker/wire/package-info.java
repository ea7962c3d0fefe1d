/**
 * HTTP/1.1 to a Docker Engine over its Unix socket, one connection a request. Beside what
 * docker-java's own transports do, it forwards the end of stdin, bounds the time to an answer, and
 * says whether a failed request can have reached the Engine.
 */
@NullMarked
package dev.sandboxer.ext.docker.wire;

import org.jspecify.annotations.NullMarked;
