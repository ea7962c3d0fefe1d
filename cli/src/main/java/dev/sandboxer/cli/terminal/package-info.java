/** Streams, progress lines, tables, signals: how the command line talks to a person. */
@NullMarked
package dev.sandboxer.cli.terminal;

import org.jspecify.annotations.NullMarked;
