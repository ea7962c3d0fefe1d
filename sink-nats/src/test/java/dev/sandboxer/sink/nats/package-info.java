@NullUnmarked
package dev.sandboxer.sink.nats;

import org.jspecify.annotations.NullUnmarked;
