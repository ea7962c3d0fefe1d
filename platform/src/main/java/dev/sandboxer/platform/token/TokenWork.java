package dev.sandboxer.platform.token;

import dev.sandboxer.platform.ops.Ticker;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;

/** The repeated work of tokens: minima, rotation. */
@ApplicationScoped
public class TokenWork {

  /** Well below the time that a new key is published before it signs. */
  private static final Duration ROTATION = Duration.ofSeconds(2);

  private final Minima minima;
  private final KeyRotation rotation;
  private final Ticker ticker;

  TokenWork(Minima minima, KeyRotation rotation, Ticker ticker) {
    this.minima = minima;
    this.rotation = rotation;
    this.ticker = ticker;
  }

  /** Begins; nothing is let in before the minima were read. */
  public void start() {
    minima.start();
    ticker.every("revocations", Duration.ofMinutes(10), minima::sweep);
    ticker.every("signing keys", ROTATION, rotation::step);
  }

  /** Ends. */
  public void stop() {
    minima.stop();
  }
}
