package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.platform.trace.Span;
import dev.sandboxer.platform.trace.Tracing;
import dev.sandboxer.spi.CleanupReport;
import dev.sandboxer.spi.CleanupReport.Leftover;
import dev.sandboxer.spi.ExtensionException;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Pays clean-up debt: tears down what an attempt left, again and again until the backend was seen
 * clean, later than any late effect of an abandoned call.
 */
@ApplicationScoped
class Cleaner {

  private static final Logger LOG = Logger.getLogger(Cleaner.class);
  private static final int MAX_DELAY_SECONDS = 60;

  /** What became of all debts of a sandbox of which none is open. */
  private static final String CLEANUP =
      """
      case when exists (select 1 from attempt a
        where a.sandbox_id = sandbox.id and a.cleanup = 'abandoned') then 'abandoned' else 'done' end
      """;

  private final Jdbi jdbi;
  private final Sandboxes sandboxes;
  private final Debts debts;
  private final Backends backends;
  private final CopyBacks copies;
  private final Failpoints failpoints;
  private final Tracing tracing;

  Cleaner(
      Jdbi jdbi,
      Sandboxes sandboxes,
      Debts debts,
      Backends backends,
      CopyBacks copies,
      Failpoints failpoints,
      Tracing tracing) {
    this.jdbi = jdbi;
    this.sandboxes = sandboxes;
    this.debts = debts;
    this.backends = backends;
    this.copies = copies;
    this.failpoints = failpoints;
    this.tracing = tracing;
  }

  /** Tries one claimed debt once, in the trace of who asked for the end. */
  void clean(Attempt attempt) {
    boolean done;
    try (Span span = tracing.continues("sandbox.clean_up", attempt.traceParent())) {
      span.set("sandboxer.sandbox.id", attempt.sandboxId().publicId())
          .set("sandboxer.generation", attempt.generation())
          .set("sandboxer.try", attempt.cleanupTries() + 1L);
      done = paid(attempt, span);
    }
    if (done) {
      failpoints.reach("delete.done");
    }
  }

  private boolean paid(Attempt attempt, Span span) {
    Optional<String> owed = copiedBack(attempt);
    if (owed.isPresent()) {
      postpone(attempt, new CleanupReport(List.of(), List.of(new Leftover("mounts", owed.get()))));
      return false;
    }
    CleanupReport report = seenClean(attempt, teardown(attempt));
    failpoints.reach("delete.torn_down");
    boolean done = report.clean() && !attempt.lateEffects();
    span.set("sandboxer.left", report.left().size());
    if (done) {
      finish(attempt, report);
    } else {
      postpone(attempt, report);
    }
    return done;
  }

  /** May take longer than a claim lasts. */
  private Optional<String> copiedBack(Attempt attempt) {
    if (!copies.owes(attempt)) {
      return Optional.empty();
    }
    try (ClaimKeeping _ = new ClaimKeeping(() -> debts.keep(attempt))) {
      return copies.settle(attempt);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of("interrupted");
    }
  }

  private void postpone(Attempt attempt, CleanupReport report) {
    if (report.clean()) {
      jdbi.useTransaction(open -> debts.later(open, attempt, report, delay(attempt)));
      return;
    }
    LOG.warnf(
        "clean-up failed sandbox=%s attempt=%s tries=%d left=%s",
        attempt.sandboxId(), attempt.id(), attempt.cleanupTries() + 1, reasons(report));
    jdbi.useTransaction(
        open -> {
          Sandbox sandbox = lock(open, attempt.sandboxId());
          int failures = debts.later(open, attempt, report, delay(attempt));
          if (failures == CleanupDebt.FAILURES_TO_REPORT) {
            var _ = sandboxes.apply(open, failing(sandbox, attempt));
          }
        });
  }

  /** Why is for operators: it may name the host's folders, and the tenant reads this. */
  private static Change failing(Sandbox sandbox, Attempt attempt) {
    return Change.note(sandbox.id(), "cleanup.failed").detail("attempt", attempt.number());
  }

  private static String reasons(CleanupReport report) {
    return report.left().stream().map(Leftover::reason).collect(Collectors.joining("; "));
  }

  /**
   * Without a handle, or after an abandoned call, nobody knows what the calls have made, so the
   * backend is asked once more.
   */
  private CleanupReport seenClean(Attempt attempt, CleanupReport report) {
    boolean known = attempt.handle() != null && !attempt.abandoned();
    if (known || !report.clean()) {
      return report;
    }
    try {
      List<Leftover> found =
          backends.find(attempt).stream()
              .map(handle -> new Leftover(handle.data(), "it was found after its teardown"))
              .toList();
      return new CleanupReport(report.removed(), found, report.foreign());
    } catch (ExtensionException e) {
      return new CleanupReport(report.removed(), List.of(unknown(e)), report.foreign());
    }
  }

  private static Leftover unknown(ExtensionException e) {
    return new Leftover("unknown", e.code() + ": " + e.getMessage());
  }

  private CleanupReport teardown(Attempt attempt) {
    try {
      return backends.teardown(attempt);
    } catch (ExtensionException e) {
      return new CleanupReport(List.of(), List.of(unknown(e)));
    }
  }

  private void finish(Attempt attempt, CleanupReport report) {
    jdbi.useTransaction(
        open -> {
          if (debts.done(open, attempt, report)) {
            close(open, attempt.sandboxId(), "cleanup.done", report);
          }
        });
  }

  /** After a debt was given up by an operator. */
  void abandoned(Handle open, SandboxId id) {
    close(open, id, "cleanup.abandoned", CleanupReport.NOTHING);
  }

  /** If that was the last debt, and the sandbox is at its end or has failed. */
  private void close(Handle open, SandboxId id, String type, CleanupReport report) {
    Change destroyed = destroyed(id).detail("cleanup", report);
    if (sandboxes.apply(open, destroyed).isEmpty()) {
      var _ =
          sandboxes.apply(
              open,
              Change.note(id, type)
                  .from(SandboxState.FAILED)
                  .when(Debts.NONE_OPEN)
                  .setSql("cleanup", CLEANUP)
                  .detail("cleanup", report));
    }
  }

  /** The end of a sandbox. Nothing of it runs again, so its environment is forgotten. */
  static Change destroyed(SandboxId sandboxId) {
    return Change.to(sandboxId, SandboxState.DESTROYED)
        .when(Debts.NONE_OPEN)
        .setSql("cleanup", CLEANUP)
        .setSql("destroyed_at", "clock_timestamp()")
        .setSql("env_sealed", "null");
  }

  /** The row lock makes the last of several debts see that it is the last. */
  private Sandbox lock(Handle open, SandboxId id) {
    return sandboxes
        .rows(open.createQuery("select * from sandbox where id = :id for update").bind("id", id))
        .getFirst();
  }

  private static Duration delay(Attempt attempt) {
    return Duration.ofSeconds(
        Math.min(MAX_DELAY_SECONDS, 1L << Math.min(attempt.cleanupTries(), 6)));
  }
}
