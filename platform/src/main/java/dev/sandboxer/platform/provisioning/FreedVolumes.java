package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.volume.VolumeHolds;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.Outcome;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Optional;

/**
 * Waits for volumes whose last user ends, be it an earlier generation of the same sandbox: nothing
 * is mounted for writing twice.
 */
@ApplicationScoped
class FreedVolumes {

  /** Longer than any backend's late-effect window: until then an end may be open. */
  private static final Duration MOST = Duration.ofMinutes(3);

  private static final Duration STEP = Duration.ofMillis(50);

  private final VolumeHolds holds;

  FreedVolumes(VolumeHolds holds) {
    this.holds = holds;
  }

  /** Returns at once where no volume is mounted. */
  void await(Sandbox sandbox, Attempt attempt, Cancellation running) throws ExtensionException {
    if (sandbox.spec().mounts().stream().noneMatch(Mount.Volume.class::isInstance)) {
      return;
    }
    long start = System.nanoTime();
    Optional<String> before = holds.notGone(sandbox.id(), attempt.id());
    while (before.isPresent()) {
      if (running.cancelled() || System.nanoTime() - start > MOST.toNanos()) {
        throw stillThere(before.get());
      }
      pause(before.get());
      before = holds.notGone(sandbox.id(), attempt.id());
    }
  }

  /** Another node may clean up: its row is all that says so. */
  private static void pause(String before) throws ExtensionException {
    try {
      Thread.sleep(STEP);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw stillThere(before);
    }
  }

  private static ExtensionException stillThere(String before) {
    return new ExtensionException(
        ErrorCode.UNAVAILABLE,
        Outcome.NOTHING_CREATED,
        "mounts: what %s left is not removed yet, and has the volume".formatted(before),
        null);
  }
}
