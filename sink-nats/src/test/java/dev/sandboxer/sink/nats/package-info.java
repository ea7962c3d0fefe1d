@NullMarked
package dev.sandboxer.sink.nats;

import org.jspecify.annotations.NullMarked;
