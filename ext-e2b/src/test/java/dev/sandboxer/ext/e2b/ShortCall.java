package dev.sandboxer.ext.e2b;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Progress;
import java.time.Duration;

/** A call with an end, which nobody cancels. */
record ShortCall(HostRef host, Duration limit, long start) implements Call {

  ShortCall(HostRef host, Duration limit) {
    this(host, limit, System.nanoTime());
  }

  @Override
  public Duration remaining() {
    Duration left = limit.minusNanos(System.nanoTime() - start);
    return left.isNegative() ? Duration.ZERO : left;
  }

  @Override
  public boolean cancelled() {
    return remaining().isZero();
  }

  @Override
  public void onCancel(Runnable action) {}

  @Override
  public void progress(Progress progress) {}
}
