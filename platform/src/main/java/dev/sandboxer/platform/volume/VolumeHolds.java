package dev.sandboxer.platform.volume;

import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.spi.Mount;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/**
 * Which sandboxes have which volumes: one that writes, or several that read. It is decided under
 * the lock of the volume's row. A sandbox that ends keeps no other from being recorded, but the
 * other's first call to its backend waits until the one that ends was seen gone.
 */
@ApplicationScoped
public class VolumeHolds {

  /** Until everything of a sandbox was seen gone. */
  private static final String COUNTS =
      """
      s.destroyed_at is null and not (s.state = 'failed' and s.cleanup in ('done', 'abandoned'))
      """;

  private static final String ENDING =
      "(s.desired = 'gone' or s.state in ('expired', 'failed', 'destroying'))";

  private static final String LOCK =
      """
      select id, name, state from volume
      where tenant_id = :tenant and name = any(:names) order by id for update
      """;

  private static final String IN_THE_WAY =
      """
      select 'sb_' || s.id as sandbox, h.writable from volume_hold h join sandbox s on s.id = h.sandbox_id
      where h.volume_id = :volume and s.id <> :sandbox and (h.writable or :writable)
        and %s and not %s
      order by s.created_at limit 1
      """
          .formatted(COUNTS, ENDING);

  /** Nothing that no longer counts is read again, however many sandboxes a volume has seen. */
  private static final String LET_GO =
      """
      delete from volume_hold h using sandbox s
      where h.volume_id = :volume and s.id = h.sandbox_id and s.id <> :sandbox and not (%s)
      """
          .formatted(COUNTS);

  private static final String HOLD =
      """
      insert into volume_hold (volume_id, sandbox_id, writable) values (:volume, :sandbox, :writable)
      on conflict (volume_id, sandbox_id) do update set writable = excluded.writable
      """;

  private static final String HOLDERS =
      """
      select 'sb_' || s.id as sandbox, s.state, h.writable
      from volume_hold h join sandbox s on s.id = h.sandbox_id
      where h.volume_id = :volume and %s
      order by s.created_at, s.id
      """
          .formatted(COUNTS);

  private static final String NOT_GONE =
      """
      select 'sb_' || h.sandbox_id from volume_hold mine
        join volume_hold h on h.volume_id = mine.volume_id and (h.writable or mine.writable)
        join attempt a on a.sandbox_id = h.sandbox_id
      where mine.sandbox_id = :sandbox and a.id <> :attempt
        and (a.cleanup is null or a.cleanup = 'pending')
      limit 1
      """;

  private static final String IDS =
      """
      select v.name, v.id from volume_hold h join volume v on v.id = h.volume_id
      where h.sandbox_id = :sandbox
      """;

  private final Jdbi jdbi;

  VolumeHolds(Jdbi jdbi) {
    this.jdbi = jdbi;
  }

  /**
   * A sandbox that has a volume.
   *
   * @param sandbox {@code sb_...}
   * @param state of the sandbox
   * @param writable whether it may write
   */
  public record Holder(String sandbox, String state, boolean writable) {}

  private record Row(String id, String name, String state) {}

  /**
   * Gives a sandbox the volumes of its mounts, in the transaction that records it or its next
   * generation.
   *
   * @param open the transaction
   * @param tenantId owner of both
   * @param sandbox whose mounts they are
   * @param mounts of its spec
   * @throws ProblemException VOLUME_IN_USE with the sandbox that has it; VALIDATION if there is no
   *     such volume; INVALID_STATE if it is not ready
   */
  public void hold(Handle open, String tenantId, SandboxId sandbox, List<Mount> mounts) {
    Map<String, Mount.Volume> wanted = volumes(mounts);
    if (wanted.isEmpty()) {
      return;
    }
    Map<String, Row> rows =
        open
            .createQuery(LOCK)
            .bind("tenant", tenantId)
            .bindArray("names", String.class, wanted.keySet())
            .map(
                (row, _) ->
                    new Row(row.getString("id"), row.getString("name"), row.getString("state")))
            .list()
            .stream()
            .collect(Collectors.toMap(Row::name, row -> row));
    wanted.forEach((name, mount) -> hold(open, sandbox, mount, usable(name, rows.get(name))));
  }

  private static Row usable(String name, @Nullable Row row) {
    if (row == null) {
      throw new ProblemException(ErrorCode.VALIDATION, Volumes.unknown(name));
    }
    if (!row.state().equals(Volume.State.READY.text())) {
      throw new ProblemException(
          ErrorCode.INVALID_STATE,
          "volume '%s' is %s; it must be ready".formatted(name, row.state()));
    }
    return row;
  }

  private static void hold(Handle open, SandboxId sandbox, Mount.Volume mount, Row volume) {
    open.createQuery(IN_THE_WAY)
        .bind("volume", volume.id())
        .bind("sandbox", sandbox)
        .bind("writable", mount.writable())
        .map((row, _) -> inUse(volume.name(), row.getString("sandbox"), row.getBoolean("writable")))
        .findFirst()
        .ifPresent(
            problem -> {
              throw new ProblemException(problem);
            });
    open.createUpdate(LET_GO).bind("volume", volume.id()).bind("sandbox", sandbox).execute();
    open.createUpdate(HOLD)
        .bind("volume", volume.id())
        .bind("sandbox", sandbox)
        .bind("writable", mount.writable())
        .execute();
  }

  private static Problem inUse(String name, String sandbox, boolean writes) {
    return Problem.of(
            ErrorCode.VOLUME_IN_USE,
            "volume '%s': sandbox %s %s; one sandbox may write, or several read"
                .formatted(
                    name, sandbox, writes ? "has it for writing" : "reads it, so none may write"))
        .with("volume", name)
        .with("sandbox_id", sandbox);
  }

  /**
   * Who has a volume.
   *
   * @param open a transaction, or any handle
   * @param volume its record
   * @return also those that end just now, oldest first
   */
  List<Holder> of(Handle open, Volume volume) {
    return open.createQuery(HOLDERS)
        .bind("volume", volume.id())
        .map(
            (row, _) ->
                new Holder(
                    row.getString("sandbox"), row.getString("state"), row.getBoolean("writable")))
        .list();
  }

  /**
   * Whether something that ends may still use what a sandbox is about to.
   *
   * @param sandbox that is to be made
   * @param attemptId of it
   * @return the sandbox whose remains must be seen gone first; empty if nothing is in the way
   */
  public Optional<String> notGone(SandboxId sandbox, String attemptId) {
    return jdbi.withHandle(
        open ->
            open.createQuery(NOT_GONE)
                .bind("sandbox", sandbox)
                .bind("attempt", attemptId)
                .mapTo(String.class)
                .findFirst());
  }

  /**
   * Puts what backends know volumes by in place of the tenant's names.
   *
   * @param sandbox that holds them
   * @param mounts of its spec
   * @return the same mounts, for its backend
   */
  public List<Mount> forBackend(SandboxId sandbox, List<Mount> mounts) {
    if (volumes(mounts).isEmpty()) {
      return mounts;
    }
    Map<String, String> ids = ids(sandbox);
    List<Mount> named = new ArrayList<>();
    for (Mount mount : mounts) {
      named.add(
          mount instanceof Mount.Volume(String name, String path, boolean writable)
              ? new Mount.Volume(ids.getOrDefault(name, name), path, writable)
              : mount);
    }
    return named;
  }

  private Map<String, String> ids(SandboxId sandbox) {
    return jdbi.withHandle(
        open ->
            open
                .createQuery(IDS)
                .bind("sandbox", sandbox)
                .map((row, _) -> Map.entry(row.getString("name"), row.getString("id")))
                .list()
                .stream()
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue)));
  }

  static Map<String, Mount.Volume> volumes(List<Mount> mounts) {
    return mounts.stream()
        .filter(Mount.Volume.class::isInstance)
        .map(Mount.Volume.class::cast)
        .collect(Collectors.toMap(Mount.Volume::volume, one -> one));
  }
}
