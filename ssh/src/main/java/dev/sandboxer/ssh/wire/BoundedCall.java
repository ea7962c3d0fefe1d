package dev.sandboxer.ssh.wire;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.Progress;
import java.time.Duration;

/** A part of a call that may take only so long. */
final class BoundedCall implements Call {

  private final Call call;
  private final long end;

  BoundedCall(Call call, Duration most) {
    this.call = call;
    this.end = System.nanoTime() + most.toNanos();
  }

  @Override
  public Duration remaining() {
    Duration own = Duration.ofNanos(Math.max(0, end - System.nanoTime()));
    return own.compareTo(call.remaining()) < 0 ? own : call.remaining();
  }

  @Override
  public boolean cancelled() {
    return call.cancelled();
  }

  @Override
  public void onCancel(Runnable action) {
    call.onCancel(action);
  }

  @Override
  public void progress(Progress progress) {
    call.progress(progress);
  }
}
