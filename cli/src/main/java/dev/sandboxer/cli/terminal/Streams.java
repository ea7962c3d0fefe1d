package dev.sandboxer.cli.terminal;

import java.io.InputStream;
import java.io.OutputStream;

/**
 * The process's three streams, raw: no encoding, no swallowed errors.
 *
 * @param terminal whether standard input is a terminal
 * @param outTerminal whether standard output is one
 * @param errTerminal whether standard error is one
 */
public record Streams(
    InputStream in,
    OutputStream out,
    OutputStream err,
    boolean terminal,
    boolean outTerminal,
    boolean errTerminal) {

  Streams withOut(OutputStream other) {
    return new Streams(in, other, err, terminal, outTerminal, errTerminal);
  }
}
