package dev.sandboxer.platform.sink;

import dev.sandboxer.spi.sink.EventSink;
import java.util.Set;

/**
 * A sink and what it gets.
 *
 * @param types wanted types, empty for all
 * @param sink to call
 */
public record TypedSink(Set<String> types, EventSink sink) {

  /** Keeps an immutable copy. */
  public TypedSink {
    types = Set.copyOf(types);
  }
}
