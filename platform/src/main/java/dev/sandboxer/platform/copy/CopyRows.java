package dev.sandboxer.platform.copy;

import dev.sandboxer.platform.host.Hosts;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/** The rows of table {@code mount_copy}. */
@ApplicationScoped
public class CopyRows {

  private static final String COPIED =
      """
      insert into mount_copy (attempt_id, mount_path, host_path, node_id, writable, record, sync_seconds,
        sync_due_at)
      values (:attempt, :path, :host, :node, :writable, :record, :seconds,
        clock_timestamp() + make_interval(secs => :seconds))
      on conflict (attempt_id, mount_path) do update set node_id = excluded.node_id,
        record = excluded.record
      """;

  /**
   * An attempt has its dataplane from when its sandbox was ready. Nobody can have changed anything
   * before.
   */
  private static final String TO_COME =
      "c.state = 'copied' and c.writable and a.dataplane is not null";

  private static final String OWED =
      """
      select c.*, n.id is not null as node_up
      from attempt a join mount_copy c on c.attempt_id = a.id
        left join node n on n.id = c.node_id and n.lease_until > clock_timestamp()
      where a.id = :attempt and %s order by c.mount_path
      """
          .formatted(TO_COME);

  private static final String OTHERS =
      """
      select exists (select 1 from attempt a join mount_copy c on c.attempt_id = a.id
        where a.sandbox_id = :sandbox and a.id <> :attempt and %s)
      """
          .formatted(TO_COME);

  /** The next time is set at once: a node that dies meanwhile costs one interval. */
  private static final String DUE =
      """
      update mount_copy c set sync_due_at = clock_timestamp() + make_interval(secs => c.sync_seconds)
      from attempt a join sandbox s on s.attempt_id = a.id and s.state in ('ready', 'active')
      where a.id = c.attempt_id and c.node_id = :node and c.state = 'copied'
        and c.sync_due_at <= clock_timestamp()
      returning c.attempt_id
      """;

  private static final String SYNCED =
      """
      update mount_copy set record = :record, synced_at = clock_timestamp()
      where attempt_id = :attempt and mount_path = :path and state = 'copied'
      """;

  private final Jdbi jdbi;
  private final Hosts hosts;

  CopyRows(Jdbi jdbi, Hosts hosts) {
    this.jdbi = jdbi;
    this.hosts = hosts;
  }

  /**
   * A folder that a sandbox has as a copy, and may change.
   *
   * @param mountPath inside
   * @param hostPath on its node
   * @param nodeId which one that is
   * @param nodeUp whether that node runs
   * @param record of the last time both sides were the same
   */
  @SuppressWarnings("ArrayRecordComponent") // a row as read, never compared
  public record Copy(
      String mountPath, String hostPath, String nodeId, boolean nodeUp, byte[] record) {}

  /**
   * Records that a folder is inside.
   *
   * @param attemptId of the sandbox
   * @param mountPath inside
   * @param hostPath on this node
   * @param writable whether changes are to come back
   * @param syncSeconds how often besides at the end, 0 for never
   * @param record of what was packed
   */
  public void copied(
      String attemptId,
      String mountPath,
      String hostPath,
      boolean writable,
      long syncSeconds,
      byte[] record) {
    jdbi.useHandle(
        open ->
            open.createUpdate(COPIED)
                .bind("attempt", attemptId)
                .bind("path", mountPath)
                .bind("host", hostPath)
                .bind("node", hosts.node().id())
                .bind("writable", writable)
                .bind("seconds", syncSeconds > 0 ? syncSeconds : null)
                .bind("record", record)
                .execute());
  }

  /**
   * What is to come back of an attempt: nothing if its sandbox never was ready.
   *
   * @param attemptId of the sandbox
   * @return by path
   */
  public List<Copy> owed(String attemptId) {
    return jdbi.withHandle(
        open ->
            open.createQuery(OWED)
                .bind("attempt", attemptId)
                .map(ConstructorMapper.of(Copy.class))
                .list());
  }

  /**
   * Whether something is still to come back of other attempts of a sandbox.
   *
   * @param sandboxId raw id
   * @param attemptId that does not count
   * @return true if a folder may change yet
   */
  public boolean owedByOthers(String sandboxId, String attemptId) {
    return jdbi.withHandle(
        open ->
            open.createQuery(OTHERS)
                .bind("sandbox", sandboxId)
                .bind("attempt", attemptId)
                .mapTo(Boolean.class)
                .one());
  }

  /**
   * Takes the attempts of which something is due at its interval.
   *
   * @return their ids
   */
  public List<String> takeDue() {
    return jdbi.withHandle(
        open ->
            open
                .createQuery(DUE)
                .bind("node", hosts.node().id())
                .mapTo(String.class)
                .list()
                .stream()
                .distinct()
                .toList());
  }

  /**
   * Records what both sides have now.
   *
   * @param open a transaction
   * @param attemptId of the sandbox
   * @param mountPath inside
   * @param record of the merge
   */
  public void synced(Handle open, String attemptId, String mountPath, byte[] record) {
    open.createUpdate(SYNCED)
        .bind("attempt", attemptId)
        .bind("path", mountPath)
        .bind("record", record)
        .execute();
  }

  /**
   * Records that nothing more comes back.
   *
   * @param open a transaction
   * @param attemptId of the sandbox
   * @param mountPath inside
   * @param lost whether something was
   */
  public void closed(Handle open, String attemptId, String mountPath, boolean lost) {
    open.createUpdate(
            """
            update mount_copy set state = :state, sync_due_at = null
            where attempt_id = :attempt and mount_path = :path and state = 'copied'
            """)
        .bind("attempt", attemptId)
        .bind("path", mountPath)
        .bind("state", lost ? "lost" : "returned")
        .execute();
  }

  /**
   * Whether a copy's folder is this node's.
   *
   * @param copy as read
   * @return why not, for a person; empty if it is
   */
  public Optional<String> elsewhere(Copy copy) {
    return copy.nodeId().equals(hosts.node().id())
        ? Optional.empty()
        : Optional.of(
            "'%s' is a folder of node '%s'%s"
                .formatted(
                    copy.hostPath(), copy.nodeId(), copy.nodeUp() ? "" : ", which does not run"));
  }
}
