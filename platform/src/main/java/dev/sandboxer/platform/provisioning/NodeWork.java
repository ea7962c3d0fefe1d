package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.idempotency.IdempotencyKeys;
import dev.sandboxer.platform.ops.Ticker;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;

/** The repeated work of a node; the first round is the recovery after a crash. */
@ApplicationScoped
public class NodeWork {

  private static final Duration SECOND = Duration.ofSeconds(1);

  private final WorkLoop loop;
  private final Watch watch;
  private final ActivityLog activity;
  private final Hosts hosts;
  private final IdempotencyKeys idempotency;
  private final Ticker ticker;

  NodeWork(
      WorkLoop loop,
      Watch watch,
      ActivityLog activity,
      Hosts hosts,
      IdempotencyKeys idempotency,
      Ticker ticker) {
    this.loop = loop;
    this.watch = watch;
    this.activity = activity;
    this.hosts = hosts;
    this.idempotency = idempotency;
    this.ticker = ticker;
  }

  /** Takes what an earlier run left, then goes on for as long as the node runs. */
  public void start() {
    loop.takeDue();
    ticker.every("due", SECOND, loop::takeDue);
    ticker.every("claims", Duration.ofSeconds(2), loop::renewClaims);
    ticker.every("watch", Duration.ofSeconds(2), watch::look);
    ticker.every("activity", SECOND, activity::flush);
    ticker.every("node", Duration.ofSeconds(10), hosts::renew);
    ticker.every("idempotency", Duration.ofMinutes(10), idempotency::sweep);
  }

  /** Ends without waiting for running calls: they are recovered at the next start. */
  public void stop() {
    ticker.stop();
    activity.flush();
    loop.stop();
  }
}
