package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.copy.CopyReport;
import dev.sandboxer.platform.copy.CopyRows;
import dev.sandboxer.platform.copy.CopyRows.Copy;
import dev.sandboxer.platform.dataplane.BoxdClient;
import dev.sandboxer.platform.dataplane.BoxdClient.BoxdException;
import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Sandboxes;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Inspection;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.jdbi.v3.core.Jdbi;

/** Brings copied folders back: those of a live sandbox, and at the end. */
@ApplicationScoped
public class CopyBacks {

  /** After that the sandbox goes with what could not come back. */
  private static final Duration GIVE_UP = Duration.ofMinutes(10);

  /** Keeps boxd from ending by its own deadline in the middle. */
  private static final long DEADLINE_SECONDS = GIVE_UP.toSeconds() + 300;

  private static final String LATE =
      """
      select coalesce(ended_at < clock_timestamp() - make_interval(secs => :seconds), false)
      from attempt where id = :id
      """;

  private final Jdbi jdbi;
  private final Sandboxes sandboxes;
  private final Attempts attempts;
  private final AttemptAddresses addresses;
  private final Backends backends;
  private final BoxdClient boxd;
  private final CopyRows rows;
  private final CopiedFolders folders;

  CopyBacks(
      Jdbi jdbi,
      Sandboxes sandboxes,
      Attempts attempts,
      AttemptAddresses addresses,
      Backends backends,
      BoxdClient boxd,
      CopyRows rows,
      CopiedFolders folders) {
    this.jdbi = jdbi;
    this.sandboxes = sandboxes;
    this.attempts = attempts;
    this.addresses = addresses;
    this.backends = backends;
    this.boxd = boxd;
    this.rows = rows;
    this.folders = folders;
  }

  /**
   * Brings the folders of a live sandbox back now, and waits for it.
   *
   * @param sandbox ready or active
   * @return path inside to what was done; without folders that may have changed, empty
   * @throws ProblemException INVALID_STATE if it is neither ready nor active, or its folders are
   *     another node's; SANDBOX_UNREACHABLE if something could not come back: what has come back
   *     before stays, and the same request can be made again
   * @throws InterruptedException if the thread is interrupted
   */
  public Map<String, CopyReport> sync(Sandbox sandbox) throws InterruptedException {
    String attemptId = sandbox.attemptId();
    if (!sandbox.state().reachable() || attemptId == null) {
      throw new ProblemException(
          ErrorCode.INVALID_STATE,
          "a sandbox in state %s cannot be synced; it must be ready or active"
              .formatted(sandbox.state().text()));
    }
    Attempt attempt = jdbi.withHandle(open -> attempts.find(open, attemptId)).orElseThrow();
    Map<String, CopyReport> done = new LinkedHashMap<>();
    for (Copy copy : rows.owed(attemptId)) {
      rows.elsewhere(copy)
          .ifPresent(
              why -> {
                throw new ProblemException(ErrorCode.INVALID_STATE, why + "; ask that node");
              });
      try {
        done.put(copy.mountPath(), folders.back(sandbox, attempt, transport(attempt), copy, false));
      } catch (BoxdException | ExtensionException | IOException e) {
        throw new ProblemException(
            ErrorCode.SANDBOX_UNREACHABLE,
            "what is at %s cannot come back: %s".formatted(copy.mountPath(), e.getMessage()));
      }
    }
    return done;
  }

  /** Whether something is still to come back of an attempt. */
  boolean owes(Attempt attempt) {
    return !rows.owed(attempt.id()).isEmpty();
  }

  /**
   * Brings back what an attempt that has ended owes, before it is torn down.
   *
   * @return why its teardown has to wait; empty once nothing more is to come
   */
  Optional<String> settle(Attempt attempt) throws InterruptedException {
    Sandbox sandbox = sandboxes.find(attempt.sandboxId()).orElseThrow();
    for (Copy copy : rows.owed(attempt.id())) {
      Optional<String> failure =
          rows.elsewhere(copy).or(() -> ended(attempt)).or(() -> failure(sandbox, attempt, copy));
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      if (failure.isPresent()) {
        if (ended(attempt).isEmpty() && !late(attempt)) {
          return failure;
        }
        folders.lose(sandbox, attempt, copy, failure.get());
      }
    }
    return Optional.empty();
  }

  private Optional<String> failure(Sandbox sandbox, Attempt attempt, Copy copy) {
    try {
      Transport transport = transport(attempt);
      boxd.deadline(sandbox.id(), attempt.generation(), addresses.of(attempt), DEADLINE_SECONDS);
      var _ = folders.back(sandbox, attempt, transport, copy, true);
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.of("interrupted");
    } catch (BoxdException | ExtensionException | IOException e) {
      return Optional.of(copy.mountPath() + " has not come back: " + e.getMessage());
    }
  }

  /** Why nothing can come from it any more, if its backend is sure of that. */
  private Optional<String> ended(Attempt attempt) {
    if (attempt.handle() == null) {
      return Optional.of("it has no handle");
    }
    try {
      return switch (backends.inspect(attempt)) {
        case Inspection.Ended(var reason, var detail) ->
            Optional.of("the sandbox ended before: " + reason + ", " + detail);
        case Inspection.Gone() -> Optional.of("the sandbox is gone from its backend");
        case Inspection.Running() -> Optional.empty();
        case Inspection.Suspended() -> Optional.empty();
        case Inspection.Unknown(var _) -> Optional.empty();
      };
    } catch (ExtensionException e) {
      return Optional.empty();
    }
  }

  private Transport transport(Attempt attempt) throws ExtensionException, BoxdException {
    return Transport.of(addresses.of(attempt));
  }

  private boolean late(Attempt attempt) {
    return jdbi.withHandle(
        open ->
            open.createQuery(LATE)
                .bind("id", attempt.id())
                .bind("seconds", GIVE_UP.toSeconds())
                .mapTo(Boolean.class)
                .one());
  }
}
