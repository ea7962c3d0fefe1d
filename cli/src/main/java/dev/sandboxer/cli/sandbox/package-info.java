/** The verbs about sandboxes: run, create, exec, ls, get, rm. */
@NullMarked
package dev.sandboxer.cli.sandbox;

import org.jspecify.annotations.NullMarked;
