package dev.sandboxer.platform.delivery;

import dev.sandboxer.platform.plugin.Plugin;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a sink fares.
 *
 * @param id such as {@code state-hub}
 * @param kind what receives
 * @param state {@code active}, {@code paused}, or {@code failed} if this node cannot call it
 * @param types wanted types, empty for all
 * @param failures failed tries since the last success
 * @param lastError of the last failure, null if there was none
 * @param failingSince instant, null while it works
 * @param lag events that it has not got
 * @param lagSeconds for how long the slowest subject has not moved
 * @param parked subjects that wait behind a refused event
 */
public record SinkStatus(
    String id,
    String kind,
    String state,
    List<String> types,
    int failures,
    @Nullable String lastError,
    @Nullable Instant failingSince,
    long lag,
    double lagSeconds,
    long parked) {

  private static final String FAILED = "failed";

  static SinkStatus failed(Plugin<?> sink) {
    return new SinkStatus(
        sink.id(), sink.kind(), FAILED, List.of(), 0, sink.reason().orElseThrow(), null, 0, 0, 0);
  }

  /** The same backlog, with another state and error. */
  SinkStatus but(SinkStatus other) {
    return new SinkStatus(
        id,
        kind,
        other.state,
        types,
        failures,
        other.lastError,
        failingSince,
        lag,
        lagSeconds,
        parked);
  }

  /**
   * Whether an operator has nothing to do.
   *
   * @return false if it cannot be called, fails, or has set events aside
   */
  public boolean well() {
    return !state.equals(FAILED) && failures == 0 && parked == 0;
  }
}
