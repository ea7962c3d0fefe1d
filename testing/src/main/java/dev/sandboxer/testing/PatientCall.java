package dev.sandboxer.testing;

import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.Progress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** A call of half a minute that is never cancelled and keeps its progress. */
public final class PatientCall implements Call {
  private final HostRef host;
  private final List<Progress> steps = new CopyOnWriteArrayList<>();

  /** About the platform's own machine. */
  public PatientCall() {
    this(new HostRef("here", HostRef.LOCAL));
  }

  /** About another host. */
  public PatientCall(HostRef host) {
    this.host = host;
  }

  /** What was told so far. */
  public List<Progress> steps() {
    return steps;
  }

  @Override
  public HostRef host() {
    return host;
  }

  @Override
  public Duration remaining() {
    return Duration.ofSeconds(30);
  }

  @Override
  public boolean cancelled() {
    return false;
  }

  @Override
  public void onCancel(Runnable action) {}

  @Override
  public void progress(Progress progress) {
    steps.add(progress);
  }
}
