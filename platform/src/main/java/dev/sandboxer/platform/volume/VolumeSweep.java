package dev.sandboxer.platform.volume;

import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.spi.ExtensionDescriptor.Persistence;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.HostRef;
import dev.sandboxer.spi.VolumeInfo;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;

/**
 * Volumes of this installation that a backend has and no record knows. They are removed on a second
 * look, after the grace, as sandboxes without a record are, and no more at once without an
 * operator.
 */
@ApplicationScoped
public class VolumeSweep {

  private static final Logger LOG = Logger.getLogger(VolumeSweep.class);
  private static final int LEAST_BOUND = 5;
  private static final int PART_OF_LISTED = 10;

  private static final String CLEARED =
      """
      delete from volume_suspect
      where extension_id = :extension and host_id = :host and volume_id <> all(:ids)
      """;

  private static final String NOTED =
      """
      insert into volume_suspect (extension_id, host_id, volume_id)
      select :extension, :host, unnest(cast(:ids as text[])) on conflict do nothing
      """;

  private static final String RIPE =
      """
      select volume_id from volume_suspect
      where extension_id = :extension and host_id = :host and volume_id = any(:ids)
        and first_seen_at + make_interval(secs => :grace) <= cast(:began as timestamptz)
      order by first_seen_at, volume_id
      """;

  private final Jdbi jdbi;
  private final VolumeWork work;
  private final ExtensionRegistry registry;
  private final Failpoints failpoints;
  private final Duration grace;

  VolumeSweep(
      Jdbi jdbi,
      VolumeWork work,
      ExtensionRegistry registry,
      Failpoints failpoints,
      Settings settings) {
    this.jdbi = jdbi;
    this.work = work;
    this.registry = registry;
    this.failpoints = failpoints;
    this.grace = settings.sweepGrace();
  }

  /**
   * What came of a place.
   *
   * @param unrecorded volumes without a record
   * @param removed those of them that were removed
   */
  public record Result(int unrecorded, int removed) {

    /** Nothing was found. */
    public static final Result NOTHING = new Result(0, 0);
  }

  /**
   * Sweeps a place. Blocks; never inside a transaction.
   *
   * @param extension whom to ask
   * @param host where
   * @param began what was made later is not judged
   * @param acts whether anything may change
   * @param confirmed whether any number may be removed
   * @return what was found and done
   */
  public Result sweep(
      ExtensionId extension, HostRef host, Instant began, boolean acts, boolean confirmed) {
    boolean keeps =
        registry
            .descriptor(extension.text())
            .filter(can -> can.persistence(host) != Persistence.NONE)
            .isPresent();
    if (!keeps) {
      return Result.NOTHING;
    }
    try {
      return compare(extension, host, work.list(extension, host), began, acts, confirmed);
    } catch (ExtensionException e) {
      LOG.warnf(
          "sweep judges no volumes extension=%s host=%s reason=%s: %s",
          extension, host.id(), e.code(), e.getMessage());
      return Result.NOTHING;
    }
  }

  private Result compare(
      ExtensionId extension,
      HostRef host,
      List<VolumeInfo> listed,
      Instant began,
      boolean acts,
      boolean confirmed) {
    List<String> unknown = unknown(listed, began);
    unknown.forEach(
        id ->
            LOG.warnf(
                "volume without a record extension=%s host=%s id=%s", extension, host.id(), id));
    List<String> ripe = acts ? noted(extension, host, unknown, began) : List.of();
    int bound = Math.max(LEAST_BOUND, listed.size() / PART_OF_LISTED);
    if (ripe.size() > bound && !confirmed) {
      LOG.warnf(
          "sweep needs an operator extension=%s host=%s reason=%d volumes to remove, more than %d of %d listed at once; sandboxer sweep --confirm --host %s",
          extension, host.id(), ripe.size(), bound, listed.size(), host.id());
      return new Result(unknown.size(), 0);
    }
    int removed = (int) ripe.stream().filter(id -> removed(extension, host, id)).count();
    return new Result(unknown.size(), removed);
  }

  /** Read after they were listed: a record comes before its first call, so it is there by now. */
  private List<String> unknown(List<VolumeInfo> listed, Instant began) {
    List<String> before =
        listed.stream()
            .filter(volume -> volume.createdAt().isBefore(began))
            .map(VolumeInfo::name)
            .toList();
    Set<String> known =
        jdbi.withHandle(
            open ->
                Set.copyOf(
                    open.createQuery("select id from volume where id = any(:ids)")
                        .bind("ids", before.toArray(String[]::new))
                        .mapTo(String.class)
                        .list()));
    return before.stream().filter(id -> !known.contains(id)).toList();
  }

  private List<String> noted(
      ExtensionId extension, HostRef host, List<String> unknown, Instant began) {
    return jdbi.inTransaction(
        open -> {
          update(open, CLEARED, extension, host, unknown);
          update(open, NOTED, extension, host, unknown);
          return open.createQuery(RIPE)
              .bind("extension", extension.text())
              .bind("host", host.id())
              .bind("ids", unknown.toArray(String[]::new))
              .bind("grace", grace.toSeconds())
              .bind("began", began.atOffset(ZoneOffset.UTC))
              .mapTo(String.class)
              .list();
        });
  }

  private static void update(
      Handle open, String sql, ExtensionId extension, HostRef host, List<String> ids) {
    open.createUpdate(sql)
        .bind("extension", extension.text())
        .bind("host", host.id())
        .bind("ids", ids.toArray(String[]::new))
        .execute();
  }

  /** An id is never given twice, so what has no record now gets none. */
  private boolean removed(ExtensionId extension, HostRef host, String id) {
    failpoints.reach("sweep.volume");
    try {
      work.remove(extension, host, id);
      LOG.warnf(
          "volume without a record removed extension=%s host=%s id=%s", extension, host.id(), id);
      return true;
    } catch (ExtensionException e) {
      LOG.warnf(
          "volume without a record was not removed extension=%s host=%s id=%s code=%s message=%s",
          extension, host.id(), id, e.code(), e.getMessage());
      return false;
    }
  }

  /** Forgets what was noted with another database. */
  public void forgetAll() {
    jdbi.useHandle(open -> open.execute("delete from volume_suspect"));
  }
}
