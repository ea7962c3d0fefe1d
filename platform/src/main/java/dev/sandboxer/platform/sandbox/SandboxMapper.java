package dev.sandboxer.platform.sandbox;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.id.SandboxId;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

@ApplicationScoped
class SandboxMapper implements RowMapper<Sandbox> {

  private static final TypeReference<Map<String, String>> TEXTS = new TypeReference<>() {};
  private static final TypeReference<List<Condition>> CONDITIONS = new TypeReference<>() {};

  private final ObjectMapper json;
  private final SpecJson specs;

  SandboxMapper(ObjectMapper json, SpecJson specs) {
    this.json = json;
    this.specs = specs;
  }

  @Override
  public Sandbox map(ResultSet row, StatementContext context) throws SQLException {
    return new Sandbox(
        new SandboxId(row.getString("id")),
        row.getString("tenant_id"),
        row.getString("principal_id"),
        new ProfileRef(row.getString("profile_id"), row.getInt("profile_version")),
        candidates(row),
        row.getString("routing"),
        new ExtensionId(row.getString("extension_id")),
        row.getString("host_id"),
        specs.read(row.getString("spec")),
        consumer(row, read(row.getString("work"), TEXTS)),
        read(row.getString("labels"), TEXTS),
        List.of((String[]) row.getArray("env_names").getArray()),
        row.getBytes("env_sealed"),
        texts(row.getArray("capabilities")),
        SandboxState.of(row.getString("state")),
        Desired.valueOf(row.getString("desired").toUpperCase(Locale.ROOT)),
        row.getInt("generation"),
        row.getString("attempt_id"),
        row.getLong("claim_token"),
        row.getLong("ttl_seconds"),
        instant(row, "expires_at"),
        instant(row, "hard_expires_at"),
        read(row.getString("descriptors"), TEXTS),
        read(row.getString("conditions"), CONDITIONS),
        failure(row),
        row.getString("end_reason"),
        row.getString("cleanup"),
        row.getLong("event_seq"),
        row.getObject("created_at", OffsetDateTime.class).toInstant(),
        instant(row, "ready_at"),
        instant(row, "active_at"),
        instant(row, "ended_at"),
        instant(row, "destroyed_at"),
        row.getString("trace_parent"));
  }

  /** A row of an earlier release names none: its only candidate was the one that was chosen. */
  private static List<ExtensionId> candidates(ResultSet row) throws SQLException {
    List<String> names = List.of((String[]) row.getArray("candidates").getArray());
    return (names.isEmpty() ? List.of(row.getString("extension_id")) : names)
        .stream().map(ExtensionId::new).toList();
  }

  private static @Nullable List<String> texts(@Nullable Array array) throws SQLException {
    return array == null ? null : List.of((String[]) array.getArray());
  }

  private static Consumer consumer(ResultSet row, Map<String, String> work) throws SQLException {
    return new Consumer(
        row.getString("actor"),
        row.getString("project"),
        row.getString("session_id"),
        row.getString("run_id"),
        work);
  }

  private static @Nullable Failure failure(ResultSet row) throws SQLException {
    String code = row.getString("failure_code");
    return code == null
        ? null
        : new Failure(code, row.getString("failure_message"), row.getBoolean("failure_retryable"));
  }

  private static @Nullable Instant instant(ResultSet row, String column) throws SQLException {
    OffsetDateTime value = row.getObject(column, OffsetDateTime.class);
    return value == null ? null : value.toInstant();
  }

  private <T> T read(String text, TypeReference<T> type) throws SQLException {
    try {
      return json.readValue(text, type);
    } catch (JsonProcessingException e) {
      throw new SQLException("a JSON column of table sandbox cannot be read", e);
    }
  }
}
