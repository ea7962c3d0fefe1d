package dev.sandboxer.platform.provisioning;

import com.google.common.util.concurrent.Striped;
import dev.sandboxer.platform.copy.CopyReport;
import dev.sandboxer.platform.copy.CopyRows;
import dev.sandboxer.platform.copy.CopyRows.Copy;
import dev.sandboxer.platform.copy.HostCopies;
import dev.sandboxer.platform.copy.HostCopies.Merged;
import dev.sandboxer.platform.dataplane.BoxdClient.BoxdException;
import dev.sandboxer.platform.dataplane.BoxdFolders;
import dev.sandboxer.platform.dataplane.wire.Endpoint;
import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.mount.HostFolders;
import dev.sandboxer.platform.mount.MountRefusedException;
import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.spi.DataplaneAddress;
import dev.sandboxer.spi.ErrorCode;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Mount;
import dev.sandboxer.spi.SandboxHandle;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Lock;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Jdbi;

/**
 * Folders of this machine as copies in sandboxes: in before the sandbox is ready, and back from it.
 * A merge leaves each file old or new and can be made again, so a crash loses nothing.
 */
@ApplicationScoped
class CopiedFolders {

  private static final Logger LOG = Logger.getLogger(CopiedFolders.class);

  /** What an earlier generation changed comes back before the next one gets its copy. */
  private static final Duration EARLIER_LIMIT = Duration.ofMinutes(12);

  private static final Duration STEP = Duration.ofMillis(50);
  private static final int LOCKS = 1024; // few attempts share one by chance

  private final Jdbi jdbi;
  private final Sandboxes sandboxes;
  private final HostFolders folders;
  private final HostCopies host;
  private final CopyRows rows;
  private final BoxdFolders boxd;
  private final Failpoints failpoints;

  /** Of one attempt, one merge runs at a time. */
  private final Striped<Lock> locks = Striped.lock(LOCKS);

  CopiedFolders(
      Jdbi jdbi,
      Sandboxes sandboxes,
      HostFolders folders,
      HostCopies host,
      CopyRows rows,
      BoxdFolders boxd,
      Failpoints failpoints) {
    this.jdbi = jdbi;
    this.sandboxes = sandboxes;
    this.folders = folders;
    this.host = host;
    this.rows = rows;
    this.boxd = boxd;
    this.failpoints = failpoints;
  }

  /** Copies in; repeatable until the sandbox is used. */
  void fill(
      Sandbox sandbox,
      Attempt attempt,
      DataplaneAddress address,
      SandboxHandle handle,
      List<Mount.HostFolder> copies,
      Cancellation running)
      throws ExtensionException {
    if (copies.isEmpty()) {
      return;
    }
    Endpoint endpoint = new Endpoint(sandbox.id(), sandbox.generation(), Transport.of(address));
    try (Cancellation.Interrupting _ = running.interrupting()) {
      awaitEarlier(attempt);
      for (Mount.HostFolder folder : copies) {
        fill(attempt, endpoint, folder);
        failpoints.reach("create.copied");
      }
    } catch (BoxdException | IOException e) {
      throw Establisher.created(
          ErrorCode.VALIDATION, "mounts: it cannot be copied in: " + e.getMessage(), handle, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw Establisher.created(
          ErrorCode.UNAVAILABLE, "mounts: the copy was interrupted", handle, e);
    }
  }

  /** One folder, recorded as what is to come back of the attempt. */
  void fill(Attempt attempt, Endpoint endpoint, Mount.HostFolder folder)
      throws BoxdException, IOException, InterruptedException {
    long start = System.nanoTime();
    byte[] record =
        host.<BoxdException>pack(
            folder.hostPath(), tar -> boxd.fill(endpoint, folder.mountPath(), tar));
    rows.copied(
        attempt.id(),
        folder.mountPath(),
        folder.hostPath(),
        folder.writable(),
        folder.syncSeconds(),
        record);
    LOG.infof(
        "folder copied in sandbox=%s attempt=%s path=%s ms=%d",
        attempt.sandboxId(),
        attempt.id(),
        folder.mountPath(),
        (System.nanoTime() - start) / 1_000_000);
  }

  /** Another node may bring it back: its rows are all that says so. */
  private void awaitEarlier(Attempt attempt) throws IOException, InterruptedException {
    long start = System.nanoTime();
    while (rows.owedByOthers(attempt.sandboxId().raw(), attempt.id())) {
      if (System.nanoTime() - start > EARLIER_LIMIT.toNanos()) {
        throw new IOException("what the generation before changed has not come back yet");
      }
      Thread.sleep(STEP);
    }
  }

  /**
   * Brings one folder back.
   *
   * @param end whether the sandbox ends, so that nothing more is to come
   */
  CopyReport back(Sandbox sandbox, Attempt attempt, Transport transport, Copy copy, boolean end)
      throws BoxdException, IOException, InterruptedException {
    Lock lock = locks.get(attempt.id());
    lock.lockInterruptibly();
    try {
      // Another merge may have ended while this one waited.
      for (Copy now : rows.owed(attempt.id())) {
        if (now.mountPath().equals(copy.mountPath())) {
          return merge(sandbox, attempt, transport, now, end);
        }
      }
      return new CopyReport(0, 0, 0, List.of(), List.of());
    } finally {
      lock.unlock();
    }
  }

  private CopyReport merge(
      Sandbox sandbox, Attempt attempt, Transport transport, Copy copy, boolean end)
      throws BoxdException, IOException, InterruptedException {
    check(sandbox, copy);
    Endpoint endpoint = new Endpoint(sandbox.id(), attempt.generation(), transport);
    Merged merged =
        host.<BoxdException>merge(
            copy.hostPath(),
            copy.record(),
            "." + sandbox.publicId(),
            tar -> {
              failpoints.reach("copy.fetching");
              return boxd.fetch(endpoint, copy.mountPath(), tar);
            });
    failpoints.reach("copy.merged");
    jdbi.useTransaction(
        open -> {
          rows.synced(open, attempt.id(), copy.mountPath(), merged.record());
          if (end) {
            rows.closed(open, attempt.id(), copy.mountPath(), false);
          }
          if (merged.report().notable()) {
            var _ = sandboxes.apply(open, synced(sandbox, copy, merged.report()));
          }
        });
    return merged.report();
  }

  /** The folder may have been replaced since it was copied. */
  private void check(Sandbox sandbox, Copy copy) throws IOException {
    try {
      var _ =
          folders.check(
              sandbox.tenantId(),
              List.of(new Mount.HostFolder(copy.hostPath(), copy.mountPath(), true)));
    } catch (MountRefusedException e) {
      throw new IOException(e.getMessage(), e);
    }
  }

  private static Change synced(Sandbox sandbox, Copy copy, CopyReport report) {
    return Change.note(sandbox.id(), "mount.synced")
        .detail("mount_path", copy.mountPath())
        .detail("written", report.written())
        .detail("removed", report.removed())
        .detail("bytes", report.bytes())
        .detail("conflicts", report.conflicts())
        .detail("skipped", report.skipped());
  }

  /** Gives up what a sandbox changed. */
  void lose(Sandbox sandbox, Attempt attempt, Copy copy, String why) {
    LOG.warnf(
        "a folder does not come back sandbox=%s attempt=%s path=%s reason=%s",
        sandbox.publicId(), attempt.id(), copy.mountPath(), why);
    jdbi.useTransaction(
        open -> {
          rows.closed(open, attempt.id(), copy.mountPath(), true);
          var _ =
              sandboxes.apply(
                  open,
                  Change.note(sandbox.id(), "mount.lost")
                      .detail("mount_path", copy.mountPath())
                      .detail("reason", why));
        });
  }
}
