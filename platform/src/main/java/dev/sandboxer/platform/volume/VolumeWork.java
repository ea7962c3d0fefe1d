package dev.sandboxer.platform.volume;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.extension.CallLimits;
import dev.sandboxer.platform.extension.ExtensionCalls;
import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.VolumeInfo;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Makes and removes volumes: claimed work, so that what one process leaves undone the next one
 * takes. A removal is tried again until the backend has done it.
 */
@ApplicationScoped
public class VolumeWork {

  private static final Logger LOG = Logger.getLogger(VolumeWork.class);
  private static final int BATCH = 20;
  private static final int MAX_DELAY_SECONDS = 60;
  private static final CallLimits CHANGE = CallLimits.of(Duration.ofMinutes(2));
  private static final CallLimits LOOK = CallLimits.of(Duration.ofSeconds(3));
  private static final CallLimits LIST = CallLimits.of(Duration.ofSeconds(30));

  private final Jdbi jdbi;
  private final VolumeRows rows;
  private final ExtensionCalls calls;
  private final Failpoints failpoints;

  VolumeWork(Jdbi jdbi, VolumeRows rows, ExtensionCalls calls, Failpoints failpoints) {
    this.jdbi = jdbi;
    this.rows = rows;
    this.calls = calls;
    this.failpoints = failpoints;
  }

  /** Takes what is due, all at once, and waits for it. */
  @RunOnVirtualThread
  @Scheduled(identity = "volumes", every = "2s", concurrentExecution = SKIP)
  void takeDue() {
    List<Volume> due = claim(null);
    if (due.isEmpty()) {
      return;
    }
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      due.forEach(volume -> threads.execute(() -> work(volume)));
    }
  }

  /** Works on one volume, if nobody else does. */
  void on(String id) {
    claim(id).forEach(this::work);
  }

  private List<Volume> claim(@Nullable String only) {
    return jdbi.inTransaction(open -> rows.claim(open, only, BATCH));
  }

  private void work(Volume volume) {
    try {
      if (volume.state() == Volume.State.MAKING) {
        make(volume);
      } else {
        remove(volume);
      }
    } catch (RuntimeException e) {
      LOG.errorf(e, "work on volume %s is left until its claim lapses", volume.id());
    }
  }

  private void make(Volume volume) {
    try {
      ensure(volume);
    } catch (ExtensionException e) {
      LOG.warnf("volume not made id=%s code=%s message=%s", volume.id(), e.code(), e.getMessage());
      jdbi.useTransaction(open -> rows.failed(open, volume, e.code().name(), message(e)));
      return;
    }
    failpoints.reach("volume.made");
    jdbi.useTransaction(open -> rows.ready(open, volume));
  }

  private void ensure(Volume volume) throws ExtensionException {
    call(
        volume.extension(),
        volume.host(),
        "ensureVolume",
        CHANGE,
        (volumes, call) -> {
          volumes.ensureVolume(call.host(), volume.id(), volume.sizeBytes(), call);
          return true;
        });
  }

  private void remove(Volume volume) {
    try {
      remove(volume.extension(), volume.host(), volume.id());
    } catch (ExtensionException e) {
      LOG.warnf(
          "volume not removed id=%s tries=%d code=%s message=%s",
          volume.id(), volume.tries() + 1, e.code(), e.getMessage());
      Duration delay =
          Duration.ofSeconds(Math.min(MAX_DELAY_SECONDS, 1L << Math.min(volume.tries(), 6)));
      jdbi.useTransaction(
          open -> rows.notRemoved(open, volume, e.code().name(), message(e), delay));
      return;
    }
    failpoints.reach("volume.removed");
    jdbi.useTransaction(open -> rows.removed(open, volume));
  }

  /** Removes what has no record, too. */
  void remove(ExtensionId extension, HostRef host, String id) throws ExtensionException {
    call(
        extension,
        host,
        "removeVolume",
        CHANGE,
        (volumes, call) -> {
          volumes.removeVolume(call.host(), id, call);
          return true;
        });
  }

  /** What is taken of a volume; empty if its backend does not say so soon. */
  OptionalLong used(Volume volume) {
    if (volume.state() != Volume.State.READY) {
      return OptionalLong.empty();
    }
    try {
      Optional<VolumeInfo> seen =
          call(
              volume.extension(),
              volume.host(),
              "inspectVolume",
              LOOK,
              (volumes, call) -> volumes.inspectVolume(call.host(), volume.id(), call));
      return seen.map(VolumeInfo::usedBytes).orElse(OptionalLong.empty());
    } catch (ExtensionException e) {
      LOG.debugf("volume not looked at id=%s reason=%s", volume.id(), e.getMessage());
      return OptionalLong.empty();
    }
  }

  List<VolumeInfo> list(ExtensionId extension, HostRef host) throws ExtensionException {
    return call(
        extension, host, "volumes", LIST, (volumes, call) -> volumes.volumes(call.host(), call));
  }

  /** A call of an extension that has volumes. */
  @FunctionalInterface
  private interface Method<T> {
    T invoke(dev.sandboxer.spi.Volumes volumes, Call call) throws ExtensionException;
  }

  private <T> T call(
      ExtensionId extension, HostRef host, String name, CallLimits limits, Method<T> method)
      throws ExtensionException {
    return calls.call(
        extension.text(),
        host,
        name,
        limits,
        (backend, call) -> {
          if (backend instanceof dev.sandboxer.spi.Volumes volumes) {
            return method.invoke(volumes, call);
          }
          throw new ExtensionException(ErrorCode.UNSUPPORTED, extension + " has no volumes");
        });
  }

  private static String message(ExtensionException e) {
    return String.valueOf(e.getMessage());
  }
}
