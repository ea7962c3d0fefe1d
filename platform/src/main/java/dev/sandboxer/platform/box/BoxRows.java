package dev.sandboxer.platform.box;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.id.RowPosition;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.id.Sha256;
import dev.sandboxer.platform.sandbox.Desired;
import dev.sandboxer.platform.sandbox.MountKinds;
import dev.sandboxer.platform.sandbox.SandboxState;
import dev.sandboxer.spi.Mount;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/** The table {@code box}. One statement reads a box and its sandbox as they are at one instant. */
@ApplicationScoped
class BoxRows {

  private static final String SELECT =
      """
      select b.*, s.state, s.desired, s.generation, s.profile_id, s.profile_version, s.extension_id,
        greatest(b.used_at, u.last_used_at) as last_used_at,
        extract(epoch from clock_timestamp() - b.used_at) as since_kept
      from box b join sandbox s on s.id = b.sandbox_id left join activity u on u.sandbox_id = s.id
      """;

  /** As {@link Box#living}. */
  private static final String LIVING =
      """
       where b.tenant_id = :tenant and starts_with(b.scope_name, :prefix)
        and s.state not in ('expired', 'failed', 'destroying', 'destroyed') and s.desired <> 'gone'
      """;

  private static final String INSERT =
      """
      insert into box (id, tenant_id, scope_name, scope_hash, scope, sandbox_id, spec, env_sealed, persistent)
      values (:id, :tenant, :name, :hash, cast(:scope as jsonb), :sandbox, cast(:spec as jsonb), :env, :persistent)
      """;

  private static final String UPDATE =
      """
      update box set sandbox_id = :sandbox, spec = cast(:spec as jsonb), env_sealed = :env,
        persistent = :persistent, made = made + 1, used_at = clock_timestamp()
      where id = :id
      """;

  private final ObjectMapper json;

  BoxRows(ObjectMapper json) {
    this.json = json.copy().addMixIn(Mount.class, MountKinds.class);
  }

  Optional<Box> find(Handle handle, String tenant, BoxScope scope) {
    return handle
        .createQuery(SELECT + " where b.tenant_id = :tenant and b.scope_hash = :hash")
        .bind("tenant", tenant)
        .bind("hash", hash(scope))
        .map(this::map)
        .findOne();
  }

  Optional<Box> find(Handle handle, String tenant, String id) {
    return handle
        .createQuery(SELECT + " where b.tenant_id = :tenant and b.id = :id")
        .bind("tenant", tenant)
        .bind("id", id)
        .map(this::map)
        .findOne();
  }

  List<Box> list(Handle handle, String tenant, @Nullable RowPosition after, int limit) {
    String more = after == null ? "" : " and (b.created_at, b.id) < (:at, :after)";
    var query =
        handle.createQuery(
            SELECT
                + " where b.tenant_id = :tenant"
                + more
                + " order by b.created_at desc, b.id desc limit :limit");
    if (after != null) {
      query.bind("at", after.at()).bind("after", after.id());
    }
    return query.bind("tenant", tenant).bind("limit", limit).map(this::map).list();
  }

  List<Box> living(Handle handle, String tenant, String prefix, int limit) {
    return handle
        .createQuery(SELECT + LIVING + " order by b.created_at, b.id limit :limit")
        .bind("tenant", tenant)
        .bind("prefix", prefix)
        .bind("limit", limit)
        .map(this::map)
        .list();
  }

  int countLiving(Handle handle, String tenant, String prefix) {
    return handle
        .createQuery("select count(*) from box b join sandbox s on s.id = b.sandbox_id" + LIVING)
        .bind("tenant", tenant)
        .bind("prefix", prefix)
        .mapTo(Integer.class)
        .one();
  }

  void insert(
      Handle open, String id, BoxRequest request, SandboxId sandbox, byte @Nullable [] env) {
    open.createUpdate(INSERT)
        .bind("id", id)
        .bind("tenant", request.tenantId())
        .bind("name", request.scope().name())
        .bind("hash", hash(request.scope()))
        .bind("scope", text(request.scope()))
        .bind("sandbox", sandbox)
        .bind("spec", text(request.spec()))
        .bind("env", env)
        .bind("persistent", request.spec().persistent())
        .execute();
  }

  void update(Handle open, String id, BoxSpec spec, SandboxId sandbox, byte @Nullable [] env) {
    open.createUpdate(UPDATE)
        .bind("id", id)
        .bind("sandbox", sandbox)
        .bind("spec", text(spec))
        .bind("env", env)
        .bind("persistent", spec.persistent())
        .execute();
  }

  /** The same sandbox, of which a part is new. */
  void extended(Handle open, String id, BoxSpec spec) {
    open.createUpdate(
            "update box set spec = cast(:spec as jsonb), used_at = clock_timestamp() where id = :id")
        .bind("id", id)
        .bind("spec", text(spec))
        .execute();
  }

  void delete(Handle open, String id) {
    open.createUpdate("delete from box where id = :id").bind("id", id).execute();
  }

  void used(Handle open, String id) {
    open.createUpdate("update box set used_at = clock_timestamp() where id = :id")
        .bind("id", id)
        .execute();
  }

  private static byte[] hash(BoxScope scope) {
    return Sha256.of(scope.name());
  }

  private Box map(ResultSet row, StatementContext context) throws SQLException {
    return new Box(
        row.getString("id"),
        row.getString("tenant_id"),
        read(row.getString("scope"), BoxScope.class),
        read(row.getString("spec"), BoxSpec.class),
        row.getBytes("env_sealed"),
        row.getInt("made"),
        new Box.Bound(
            new SandboxId(row.getString("sandbox_id")),
            SandboxState.of(row.getString("state")),
            Desired.valueOf(row.getString("desired").toUpperCase(Locale.ROOT)),
            row.getInt("generation"),
            row.getString("profile_id"),
            row.getInt("profile_version"),
            row.getString("extension_id")),
        instant(row, "last_used_at"),
        instant(row, "created_at"),
        Duration.ofMillis((long) (row.getDouble("since_kept") * 1000)));
  }

  private static Instant instant(ResultSet row, String column) throws SQLException {
    return row.getObject(column, OffsetDateTime.class).toInstant();
  }

  private String text(Object value) {
    try {
      return json.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException(value.getClass() + " cannot be written as JSON", e);
    }
  }

  private <T> T read(String text, Class<T> type) {
    try {
      return json.readValue(text, type);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a stored " + type.getSimpleName() + " cannot be read", e);
    }
  }
}
