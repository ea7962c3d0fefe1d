package dev.sandboxer.platform.session;

import dev.sandboxer.platform.ops.Ticker;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;

/** The repeated work of sessions, beside what the reaper asks for. */
@ApplicationScoped
public class SessionWork {

  private static final Duration SWEEP = Duration.ofMinutes(10);

  private final Ticker ticker;
  private final ScopeEnds scopeEnds;

  SessionWork(Ticker ticker, ScopeEnds scopeEnds) {
    this.ticker = ticker;
    this.scopeEnds = scopeEnds;
  }

  /** Begins. It ends with the ticker. */
  public void start() {
    ticker.every("scope ends", SWEEP, scopeEnds::sweep);
  }
}
