/** Commands at this terminal: what the library of the dataplane leaves to a program for people. */
@NullMarked
package dev.sandboxer.cli.dataplane;

import org.jspecify.annotations.NullMarked;
