package dev.sandboxer.platform.delivery;

import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * How a sink fares.
 *
 * @param id such as {@code state-hub}
 * @param kind what receives
 * @param state {@code active} or {@code paused}
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
    long parked) {}
