@NullMarked
package dev.sandboxer.cli.archive;

import org.jspecify.annotations.NullMarked;
