/** Events as messages of a NATS server, kept by JetStream. */
@NullMarked
package dev.sandboxer.sink.nats;

import org.jspecify.annotations.NullMarked;
