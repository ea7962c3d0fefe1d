package dev.sandboxer.platform.session;

import java.time.Duration;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** For how long this node has polled without a gap. */
final class PollingGap {

  private final Duration longestPause;
  private @Nullable OffsetDateTime since;
  private @Nullable OffsetDateTime last;

  PollingGap(Duration longestPause) {
    this.longestPause = longestPause;
  }

  /** Counts the next poll as the first one after a gap. */
  synchronized void broken() {
    last = null;
  }

  /** Notes a poll; returns for how long there was no gap before it. */
  synchronized Duration at(OffsetDateTime now) {
    if (since == null || last == null || now.isAfter(last.plus(longestPause))) {
      since = now;
    }
    last = now;
    return Duration.between(since, now);
  }
}
