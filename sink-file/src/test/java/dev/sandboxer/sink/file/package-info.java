@NullUnmarked
package dev.sandboxer.sink.file;

import org.jspecify.annotations.NullUnmarked;
