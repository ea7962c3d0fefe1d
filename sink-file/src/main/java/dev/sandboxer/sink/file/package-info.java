/** Events as lines of JSON in a file of this machine. */
@NullMarked
package dev.sandboxer.sink.file;

import org.jspecify.annotations.NullMarked;
