@NullMarked
package dev.sandboxer.sink.file;

import org.jspecify.annotations.NullMarked;
