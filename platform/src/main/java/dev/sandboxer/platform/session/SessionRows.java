package dev.sandboxer.platform.session;

import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.sandbox.Desired;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.platform.token.Capability;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/**
 * Reads sessions. One statement reads all that a reply needs, so that what it says was true at one
 * instant; the epoch that it finds goes into the token, so that a later revocation covers it.
 */
@ApplicationScoped
class SessionRows {

  private static final String SELECT =
      """
      select s.*, b.state, b.desired, b.generation, b.profile_id, b.profile_version, b.extension_id,
        b.failure_code, b.failure_message, b.ready_at, b.hard_expires_at, b.capabilities,
        a.dataplane is not null as dataplane, u.last_used_at, clock_timestamp() as read_at,
        b.state in ('requested', 'provisioning') and b.claim_until < clock_timestamp()
          and h.node_id is distinct from :node as abandoned,
        coalesce((select max(min_epoch) from revocation r
          where (r.scope = 'session' and r.id = s.id) or (r.scope = 'sandbox' and r.id = b.id)
            or (r.scope = 'tenant' and r.id = s.tenant_id)
            or (r.scope = 'key' and r.id = :principal) or (r.scope = 'all' and r.id = '')), 0)
          as min_epoch
      from session s
        join sandbox b on b.id = s.sandbox_id
        left join attempt a on a.id = b.attempt_id
        left join host h on h.id = b.host_id
        left join activity u on u.sandbox_id = b.id
      """;

  private static final String BY_SCOPE =
      SELECT
          + " where s.tenant_id = :tenant and s.scope_type = :type and s.scope_id = :id"
          + " and s.ended_at is null";

  private static final String BY_ID = SELECT + " where s.tenant_id = :tenant and s.id = :id";

  private static final String BY_SANDBOX =
      SELECT + " where s.tenant_id = :tenant and s.sandbox_id = :id";

  private final Hosts hosts;

  SessionRows(Hosts hosts) {
    this.hosts = hosts;
  }

  Optional<SessionRow> live(Handle handle, String principal, String tenant, Scope scope) {
    return query(handle, BY_SCOPE, principal, tenant)
        .bind("type", scope.type().text())
        .bind("id", scope.id())
        .map(SessionRows::map)
        .findOne();
  }

  Optional<SessionRow> find(Handle handle, String principal, String tenant, String id) {
    return query(handle, BY_ID, principal, tenant).bind("id", id).map(SessionRows::map).findOne();
  }

  List<SessionRow> ofSandbox(Handle handle, String principal, String tenant, String sandboxId) {
    return query(handle, BY_SANDBOX, principal, tenant)
        .bind("id", sandboxId)
        .map(SessionRows::map)
        .list();
  }

  private Query query(Handle handle, String sql, String principal, String tenant) {
    return handle
        .createQuery(sql)
        .bind("node", hosts.node().id())
        .bind("principal", principal)
        .bind("tenant", tenant);
  }

  private static SessionRow map(ResultSet row, StatementContext context) throws SQLException {
    return new SessionRow(
        row.getString("id"),
        row.getString("tenant_id"),
        new Scope(
            ScopeType.valueOf(row.getString("scope_type").toUpperCase(Locale.ROOT)),
            row.getString("scope_id")),
        row.getString("user_id"),
        row.getString("thread_id"),
        row.getString("run_id"),
        row.getBoolean("heartbeat"),
        row.getBoolean("created_sandbox"),
        present(row, "lease_until"),
        instant(row, "ended_at"),
        row.getString("end_reason"),
        present(row, "created_at"),
        Duration.ofSeconds(row.getLong("idle_seconds")),
        row.getString("inputs"),
        bound(row),
        row.getLong("min_epoch"),
        present(row, "read_at"));
  }

  private static SessionRow.Bound bound(ResultSet row) throws SQLException {
    return new SessionRow.Bound(
        new SandboxId(row.getString("sandbox_id")),
        SandboxState.of(row.getString("state")),
        Desired.valueOf(row.getString("desired").toUpperCase(Locale.ROOT)),
        row.getInt("generation"),
        row.getString("profile_id"),
        row.getInt("profile_version"),
        row.getString("extension_id"),
        capabilities(row.getArray("capabilities")),
        row.getBoolean("dataplane"),
        row.getString("failure_code"),
        row.getString("failure_message"),
        instant(row, "last_used_at"),
        instant(row, "ready_at"),
        instant(row, "hard_expires_at"),
        row.getBoolean("abandoned"));
  }

  private static Set<Capability> capabilities(@Nullable Array names) throws SQLException {
    return Capability.ofNarrowed(names == null ? null : List.of((String[]) names.getArray()));
  }

  private static Instant present(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
    return value == null ? null : value.toInstant();
  }
}
