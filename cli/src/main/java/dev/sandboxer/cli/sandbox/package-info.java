/** The verbs about sandboxes: run, create, exec, ls, access, rm. */
@NullMarked
package dev.sandboxer.cli.sandbox;

import org.jspecify.annotations.NullMarked;
