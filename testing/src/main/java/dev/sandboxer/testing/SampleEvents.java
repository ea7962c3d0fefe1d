package dev.sandboxer.testing;

import dev.sandboxer.spi.sink.EventMessage;
import java.time.Instant;
import java.util.Map;

/** Events of one sandbox, for sinks. */
public final class SampleEvents {

  private SampleEvents() {}

  /** The event of that number and position; its JSON has the number as n, and so many letters. */
  public static EventMessage event(int number, int letters) {
    return new EventMessage(
        "evt_" + number,
        "sb_a",
        number,
        number,
        "sandbox.ready",
        Instant.EPOCH,
        "ten_a",
        Map.of(),
        null,
        Map.of(),
        "{\"n\": %d, \"fill\": \"%s\"}".formatted(number, "x".repeat(letters)));
  }
}
