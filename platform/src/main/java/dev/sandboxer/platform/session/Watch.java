package dev.sandboxer.platform.session;

import java.time.Duration;
import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/** How long this node has been looking, time after time, without a longer pause. */
final class Watch {

  private final Duration longestPause;
  private @Nullable OffsetDateTime since;
  private @Nullable OffsetDateTime last;

  Watch(Duration longestPause) {
    this.longestPause = longestPause;
  }

  /** Begins anew with the next look. */
  synchronized void broken() {
    last = null;
  }

  /** Notes a look, and says how long the watch has lasted by then. */
  synchronized Duration at(OffsetDateTime now) {
    if (since == null || last == null || now.isAfter(last.plus(longestPause))) {
      since = now;
    }
    last = now;
    return Duration.between(since, now);
  }
}
