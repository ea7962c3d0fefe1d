/** Hosts, and why a sandbox goes to one of them. */
@NullMarked
package dev.sandboxer.cli.host;

import org.jspecify.annotations.NullMarked;
