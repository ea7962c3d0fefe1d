/** The verbs about boxes: ensure, exec, ls, show, rm. */
@NullMarked
package dev.sandboxer.cli.box;

import org.jspecify.annotations.NullMarked;
