package dev.sandboxer.platform.api.audit;

import dev.sandboxer.platform.access.Principal;
import dev.sandboxer.platform.access.Role;
import dev.sandboxer.platform.audit.AuditEntry;
import dev.sandboxer.platform.audit.AuditTrail;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import jakarta.ws.rs.core.MultivaluedMap;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** The parameters of {@code GET /v1/audit}, checked. */
final class AuditQuery {

  private static final Map<String, String> PROPERTIES =
      Map.ofEntries(
          Map.entry("request_id", "requestId"),
          Map.entry("caller", "caller"),
          Map.entry("user", "userId"),
          Map.entry("tenant_id", "tenantId"),
          Map.entry("scope_type", "scopeType"),
          Map.entry("scope_id", "scopeId"),
          Map.entry("session_id", "sessionId"),
          Map.entry("sandbox_id", "sandboxId"),
          Map.entry("action", "action"),
          Map.entry("result", "result"),
          Map.entry("address", "address"));
  private static final Set<String> OTHERS = Set.of("from", "to", "limit", "cursor");
  private static final int DEFAULT_LIMIT = 50;
  private static final int MOST = 1_000;

  private AuditQuery() {}

  static AuditTrail.Filter read(Principal principal, MultivaluedMap<String, String> all) {
    Set<String> unknown = new TreeSet<>(all.keySet());
    unknown.removeAll(PROPERTIES.keySet());
    unknown.removeAll(OTHERS);
    if (!unknown.isEmpty()) {
      throw invalid("unknown parameters %s".formatted(unknown));
    }
    Map<String, String> equal = new HashMap<>();
    PROPERTIES.forEach(
        (name, property) -> {
          String value = one(all, name);
          if (value != null) {
            equal.put(property, AuditEntry.text(value));
          }
        });
    if (!principal.role().covers(Role.ADMIN)) {
      equal.put("tenantId", principal.tenantId());
    }
    return new AuditTrail.Filter(
        equal, instant(all, "from"), instant(all, "to"), cursor(all), limit(all));
  }

  private static @Nullable Long cursor(MultivaluedMap<String, String> all) {
    String text = one(all, "cursor");
    if (text != null && !text.matches("[0-9]{1,18}")) {
      throw invalid("'cursor' is no cursor of a page");
    }
    return text == null ? null : Long.valueOf(text);
  }

  private static int limit(MultivaluedMap<String, String> all) {
    String text = one(all, "limit");
    if (text == null) {
      return DEFAULT_LIMIT;
    }
    int limit = text.matches("[0-9]{1,4}") ? Integer.parseInt(text) : 0;
    if (limit < 1 || limit > MOST) {
      throw invalid("'limit' is '%s'; it must be 1 to %d".formatted(text, MOST));
    }
    return limit;
  }

  private static @Nullable Instant instant(MultivaluedMap<String, String> all, String name) {
    String text = one(all, name);
    try {
      return text == null ? null : OffsetDateTime.parse(text).toInstant();
    } catch (DateTimeParseException e) {
      throw invalid("'%s' is '%s'; it must be such as 2026-02-27T20:20:00Z".formatted(name, text));
    }
  }

  private static @Nullable String one(MultivaluedMap<String, String> all, String name) {
    List<String> values = all.get(name);
    if (values == null || values.isEmpty()) {
      return null;
    }
    if (values.size() > 1) {
      throw invalid("'%s' may be given once".formatted(name));
    }
    return values.getFirst();
  }

  private static ProblemException invalid(String detail) {
    return new ProblemException(ErrorCode.VALIDATION, detail);
  }
}
