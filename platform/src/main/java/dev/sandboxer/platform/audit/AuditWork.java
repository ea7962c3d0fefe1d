package dev.sandboxer.platform.audit;

import dev.sandboxer.platform.ops.Ticker;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;

/** Begins and ends the audit's own work. */
@ApplicationScoped
public class AuditWork {

  private final AuditLog log;
  private final AuditTrail trail;
  private final Ticker ticker;

  AuditWork(AuditLog log, AuditTrail trail, Ticker ticker) {
    this.log = log;
    this.trail = trail;
    this.ticker = ticker;
  }

  /** Begins to write, and to drop what is too old. */
  public void start() {
    log.start();
    ticker.every("audit", Duration.ofHours(1), trail::sweep);
  }

  /** Writes what is left. */
  public void stop() {
    log.stop();
  }
}
