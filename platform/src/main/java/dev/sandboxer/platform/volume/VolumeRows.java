package dev.sandboxer.platform.volume;

import dev.sandboxer.platform.host.HostRows;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.sandbox.ExtensionId;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** The rows of table {@code volume}, and who works on them. */
@ApplicationScoped
class VolumeRows {

  private static final int CLAIM_SECONDS = 180;

  private static final String SELECT =
      "select v.*, %s from volume v join host h on h.id = v.host_id ".formatted(HostRows.REF);

  private static final String INSERT =
      """
      insert into volume (id, tenant_id, name, extension_id, host_id, size_bytes)
      values (:id, :tenant, :name, :extension, :host, :size)
      on conflict (tenant_id, name) do nothing
      """;

  /** A restarted node takes its own older claims at once. */
  private static final String CLAIM =
      """
      with v as (
        update volume set claim_owner = :owner, claim_token = claim_token + 1,
          claim_until = clock_timestamp() + make_interval(secs => :seconds)
        where id in (
          select id from volume
          where state in ('making', 'removing') and coalesce(id = cast(:only as text), true)
            and due_at <= clock_timestamp()
            and host_id in (select id from host where node_id = :node or node_id is null)
            and (claim_until is null or claim_until < clock_timestamp()
                 or (claim_owner <> :owner and claim_owner like :node || '/%%'))
          order by due_at limit :limit for update skip locked)
        returning *)
      select v.*, %s from v join host h on h.id = v.host_id
      """
          .formatted(HostRows.REF);

  /** What was asked to be removed meanwhile is only given back. */
  private static final String MADE =
      """
      update volume set state = case when state = 'making' then :state else state end,
        failure_code = :code, failure_message = :message, claim_owner = null, claim_until = null,
        due_at = clock_timestamp()
      where id = :id and claim_token = :token
      """;

  private static final String NOT_REMOVED =
      """
      update volume set failure_code = :code, failure_message = :message, tries = tries + 1,
        claim_owner = null, claim_until = null,
        due_at = clock_timestamp() + make_interval(secs => :seconds)
      where id = :id and claim_token = :token
      """;

  private final HostRows hostRows;
  private final Hosts hosts;

  VolumeRows(HostRows hostRows, Hosts hosts) {
    this.hostRows = hostRows;
    this.hosts = hosts;
  }

  /** False if the tenant has one of that name. */
  boolean insert(Handle open, String id, NewVolume wanted, VolumePlace place) {
    return open.createUpdate(INSERT)
            .bind("id", id)
            .bind("tenant", wanted.tenantId())
            .bind("name", wanted.name())
            .bind("extension", place.extension().text())
            .bind("host", place.host())
            .bind("size", wanted.sizeBytes())
            .execute()
        == 1;
  }

  Optional<Volume> find(Handle open, String tenantId, String name) {
    return open.createQuery(SELECT + "where v.tenant_id = :tenant and v.name = :name")
        .bind("tenant", tenantId)
        .bind("name", name)
        .map((row, _) -> map(row))
        .findOne();
  }

  /** The same, locked until the end of the transaction: nobody begins to use it meanwhile. */
  Optional<Volume> lock(Handle open, String tenantId, String name) {
    return open.createQuery(
            SELECT + "where v.tenant_id = :tenant and v.name = :name for update of v")
        .bind("tenant", tenantId)
        .bind("name", name)
        .map((row, _) -> map(row))
        .findOne();
  }

  List<Volume> list(Handle open, String tenantId, String after, int limit) {
    return open.createQuery(
            SELECT + "where v.tenant_id = :tenant and v.name > :after order by v.name limit :limit")
        .bind("tenant", tenantId)
        .bind("after", after)
        .bind("limit", limit)
        .map((row, _) -> map(row))
        .list();
  }

  /** Claims work: that on one volume, or all that is due. */
  List<Volume> claim(Handle open, @Nullable String only, int limit) {
    return open.createQuery(CLAIM)
        .bind("owner", hosts.node().claimOwner())
        .bind("node", hosts.node().id())
        .bind("seconds", CLAIM_SECONDS)
        .bind("only", only)
        .bind("limit", limit)
        .map((row, _) -> map(row))
        .list();
  }

  void ready(Handle open, Volume volume) {
    made(open, volume, Volume.State.READY, null, null);
  }

  void failed(Handle open, Volume volume, String code, String message) {
    made(open, volume, Volume.State.FAILED, code, message);
  }

  private static void made(
      Handle open,
      Volume volume,
      Volume.State state,
      @Nullable String code,
      @Nullable String message) {
    open.createUpdate(MADE)
        .bind("state", state.text())
        .bind("code", code)
        .bind("message", message)
        .bind("id", volume.id())
        .bind("token", volume.claimToken())
        .execute();
  }

  /** Requests its removal. Work that makes it just now ends first. */
  void remove(Handle open, Volume volume) {
    open.createUpdate(
            """
            update volume set state = 'removing', due_at = clock_timestamp(),
              failure_code = null, failure_message = null, tries = 0
            where id = :id and state <> 'removing'
            """)
        .bind("id", volume.id())
        .execute();
  }

  void notRemoved(Handle open, Volume volume, String code, String message, Duration delay) {
    open.createUpdate(NOT_REMOVED)
        .bind("code", code)
        .bind("message", message)
        .bind("seconds", delay.toSeconds())
        .bind("id", volume.id())
        .bind("token", volume.claimToken())
        .execute();
  }

  /** Its record goes, whatever its backend has. */
  void forget(Handle open, Volume volume) {
    open.createUpdate("delete from volume where id = :id").bind("id", volume.id()).execute();
  }

  void removed(Handle open, Volume volume) {
    open.createUpdate("delete from volume where id = :id and claim_token = :token")
        .bind("id", volume.id())
        .bind("token", volume.claimToken())
        .execute();
  }

  private Volume map(ResultSet row) throws SQLException {
    return new Volume(
        row.getString("id"),
        row.getString("tenant_id"),
        row.getString("name"),
        new ExtensionId(row.getString("extension_id")),
        hostRows.ref(row),
        row.getLong("size_bytes"),
        Volume.State.valueOf(row.getString("state").toUpperCase(Locale.ROOT)),
        row.getString("failure_code"),
        row.getString("failure_message"),
        row.getInt("tries"),
        row.getLong("claim_token"),
        row.getObject("created_at", OffsetDateTime.class).toInstant());
  }
}
