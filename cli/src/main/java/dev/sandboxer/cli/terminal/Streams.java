package dev.sandboxer.cli.terminal;

import java.io.InputStream;
import java.io.OutputStream;

/**
 * The process's three streams, raw: no encoding, no swallowed errors.
 *
 * @param terminal whether standard input is a terminal
 */
public record Streams(InputStream in, OutputStream out, OutputStream err, boolean terminal) {}
