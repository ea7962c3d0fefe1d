package dev.sandboxer.ssh.host;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.Progress;
import java.time.Duration;

/** A call of our own that nobody waits for: only its time ends it. It is about no host. */
public class TimedCall implements Call {

  private final long end;

  /**
   * A call that begins now.
   *
   * @param most how long it may take
   */
  public TimedCall(Duration most) {
    this.end = System.nanoTime() + most.toNanos();
  }

  @Override
  public Duration remaining() {
    return Duration.ofNanos(Math.max(0, end - System.nanoTime()));
  }

  @Override
  public boolean cancelled() {
    return false;
  }

  @Override
  public void onCancel(Runnable action) {}

  @Override
  public void progress(Progress progress) {}
}
