package dev.sandboxer.bench.subject;

import java.io.IOException;
import java.time.Clock;
import org.jspecify.annotations.Nullable;

/**
 * Everything that a run starts, each when it is first asked for; closing ends it all, also in the
 * middle of a run.
 */
public final class Scene implements AutoCloseable {

  private final Distribution distribution;
  private final Clock clock;
  private @Nullable BareBoxd boxd;
  private @Nullable Platform platform;
  private boolean running;

  /** A scene with nothing started yet. */
  public Scene(Distribution distribution, Clock clock) {
    this.distribution = distribution;
    this.clock = clock;
  }

  /** What is measured. */
  public Distribution distribution() {
    return distribution;
  }

  /** A bare boxd. */
  public synchronized BareBoxd boxd() throws IOException {
    if (boxd == null) {
      boxd = freshBoxd();
    }
    return boxd;
  }

  /** A boxd of its own, to be closed by who asked. */
  public BareBoxd freshBoxd() throws IOException {
    return BareBoxd.start(distribution.boxd(), clock);
  }

  /** The platform, trained and ended. */
  public synchronized Platform stopped() throws IOException {
    Platform there = trained();
    if (running) {
      there.down();
      running = false;
    }
    return there;
  }

  /** The platform, trained and running. */
  public synchronized Platform platform() throws IOException {
    Platform there = trained();
    if (!running) {
      there.up();
      running = true;
    }
    return there;
  }

  private Platform trained() throws IOException {
    if (platform == null) {
      platform = Platform.trained(distribution);
    }
    return platform;
  }

  @Override
  public synchronized void close() throws IOException {
    BareBoxd first = boxd;
    Platform second = platform;
    boxd = null;
    platform = null;
    try {
      if (first != null) {
        first.close();
      }
    } finally {
      if (second != null) {
        second.close();
      }
    }
  }
}
