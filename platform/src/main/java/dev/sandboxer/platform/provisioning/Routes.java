package dev.sandboxer.platform.provisioning;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.platform.sandbox.Sandbox;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.jspecify.annotations.Nullable;

/** The stored routes of sandboxes. */
@ApplicationScoped
public class Routes {

  private static final TypeReference<Map<String, Object>> MAP = new TypeReference<>() {};

  private static final String ATTEMPTS =
      """
      select number, extension_id, host_id, phase, outcome, failure_code, failure_message, cleanup,
        plan, created_at
      from attempt where sandbox_id = :sandbox and generation = :generation order by number
      """;

  private final Jdbi jdbi;
  private final ObjectMapper json;

  Routes(Jdbi jdbi, ObjectMapper json) {
    this.jdbi = jdbi;
    this.json = json;
  }

  /**
   * The route of a sandbox's present generation.
   *
   * @param sandbox as read
   * @return the plan as {@code PlanJson} writes it, with {@code generation} and {@code attempts:
   *     [{number, extension, host, phase, outcome, failure?, cleanup, began_at}]}
   */
  public Map<String, Object> of(Sandbox sandbox) {
    List<Row> rows =
        jdbi.withHandle(
            open ->
                open.createQuery(ATTEMPTS)
                    .bind("sandbox", sandbox.id())
                    .bind("generation", sandbox.generation())
                    .map((row, _) -> row(row))
                    .list());
    Map<String, Object> route = new LinkedHashMap<>();
    route.put("generation", sandbox.generation());
    rows.stream().map(Row::plan).findFirst().ifPresent(plan -> route.putAll(read(plan)));
    route.put("attempts", rows.stream().map(Row::attempt).toList());
    return route;
  }

  private record Row(String plan, Map<String, Object> attempt) {}

  private static Row row(ResultSet row) throws SQLException {
    Map<String, Object> attempt = new LinkedHashMap<>();
    attempt.put("number", row.getInt("number"));
    attempt.put("extension", row.getString("extension_id"));
    attempt.put("host", row.getString("host_id"));
    attempt.put("phase", row.getString("phase"));
    attempt.put("outcome", row.getString("outcome"));
    @Nullable String code = row.getString("failure_code");
    if (code != null) {
      attempt.put("failure", Map.of("code", code, "message", row.getString("failure_message")));
    }
    attempt.put("cleanup", row.getString("cleanup"));
    attempt.put("began_at", row.getObject("created_at", OffsetDateTime.class).toInstant());
    @Nullable String plan = row.getString("plan");
    return new Row(plan == null ? "{}" : plan, attempt);
  }

  private Map<String, Object> read(String plan) {
    try {
      return json.readValue(plan, MAP);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a stored plan cannot be read", e);
    }
  }
}
