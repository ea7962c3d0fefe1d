package dev.sandboxer.platform.event;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.id.SandboxId;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.Map;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.statement.StatementContext;
import org.jspecify.annotations.Nullable;

/** Reads a row of table {@code event}. */
@ApplicationScoped
class EventMapper implements RowMapper<Event> {

  private static final TypeReference<Map<String, Object>> OBJECT = new TypeReference<>() {};

  private final ObjectMapper json;

  EventMapper(ObjectMapper json) {
    this.json = json;
  }

  @Override
  public Event map(ResultSet row, StatementContext context) throws SQLException {
    @Nullable String sandbox = row.getString("sandbox_id");
    return new Event(
        row.getString("id"),
        row.getString("tenant_id"),
        sandbox == null ? null : new SandboxId(sandbox).publicId(),
        row.getLong("seq"),
        row.getObject("position", Long.class),
        row.getString("type"),
        row.getObject("occurred_at", OffsetDateTime.class).toInstant(),
        object(row.getString("consumer")),
        row.getString("actor_type"),
        row.getString("state"),
        object(row.getString("detail")));
  }

  private Map<String, Object> object(String text) throws SQLException {
    try {
      return json.readValue(text, OBJECT);
    } catch (JsonProcessingException e) {
      throw new SQLException("an event's JSON cannot be read", e);
    }
  }
}
