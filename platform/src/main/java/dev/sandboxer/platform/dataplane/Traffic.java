package dev.sandboxer.platform.dataplane;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;

/** The bytes of one stream, both ways. */
final class Traffic {

  private final RelayMetrics metrics;
  private final DataplaneTargets targets;
  private final Target target;
  private long unreported;

  Traffic(RelayMetrics metrics, DataplaneTargets targets, Target target) {
    this.metrics = metrics;
    this.targets = targets;
    this.target = target;
  }

  void up(int bytes) {
    metrics.up(bytes);
    unreported += bytes;
  }

  void down(int bytes) {
    metrics.down(bytes);
    unreported += bytes;
  }

  /** Adds what moved since the last time to the sandbox's activity. */
  void report() {
    if (unreported > 0) {
      targets.moved(target, unreported);
      unreported = 0;
    }
  }
}
