package dev.sandboxer.platform.audit;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** Reads the audit, and drops what is older than its retention. */
@ApplicationScoped
public class AuditTrail {

  private static final int DEFAULT_DAYS = 365;
  private static final int MOST_DAYS = 36_500;

  private final Jdbi jdbi;
  private final int days;

  AuditTrail(Jdbi jdbi, Settings settings) {
    this.jdbi = jdbi;
    this.days = settings.number(Setting.SANDBOXER_AUDIT_DAYS, DEFAULT_DAYS, MOST_DAYS);
  }

  /**
   * Which entries.
   *
   * @param equal column (a constant of the code) to wanted value
   * @param from earliest instant, null for all
   * @param to instant before which, null for all
   * @param before place of the last entry of the page before, null for the first page
   * @param limit entries wanted
   */
  public record Filter(
      Map<String, String> equal,
      @Nullable OffsetDateTime from,
      @Nullable OffsetDateTime to,
      @Nullable Long before,
      int limit) {

    /** Keeps an immutable copy. */
    public Filter {
      equal = Map.copyOf(new LinkedHashMap<>(equal));
    }
  }

  /**
   * Lists entries, newest first.
   *
   * @param filter which
   * @return at most the filter's limit
   */
  public List<AuditEntry> list(Filter filter) {
    List<String> where = new ArrayList<>(List.of("true"));
    filter.equal().keySet().forEach(column -> where.add(column + " = :" + column));
    if (filter.from() != null) {
      where.add("at >= :from_at");
    }
    if (filter.to() != null) {
      where.add("at < :to_at");
    }
    if (filter.before() != null) {
      where.add("id < :before");
    }
    String sql =
        "select * from audit where "
            + String.join(" and ", where)
            + " order by id desc limit :limit";
    return jdbi.withHandle(
        handle -> bound(handle.createQuery(sql), filter).map((row, _) -> map(row)).list());
  }

  private static Query bound(Query query, Filter filter) {
    query.bind("limit", filter.limit());
    filter.equal().forEach(query::bind);
    if (filter.from() != null) {
      query.bind("from_at", filter.from());
    }
    if (filter.to() != null) {
      query.bind("to_at", filter.to());
    }
    return filter.before() == null ? query : query.bind("before", filter.before());
  }

  /** Drops what is older than the retention; the only way in which the audit shrinks. */
  @RunOnVirtualThread
  @Scheduled(identity = "audit retention", every = "1h", concurrentExecution = SKIP)
  void sweep() {
    jdbi.useTransaction(
        open -> {
          open.execute("set local sandboxer.audit_retention = 'on'");
          open.createUpdate(
                  "delete from audit where at < clock_timestamp() - make_interval(days => :days)")
              .bind("days", days)
              .execute();
        });
  }

  private static AuditEntry map(ResultSet row) throws SQLException {
    return new AuditEntry(
        row.getLong("id"),
        row.getObject("at", OffsetDateTime.class).toInstant(),
        row.getString("request_id"),
        row.getString("caller"),
        row.getString("user_id"),
        row.getString("tenant_id"),
        row.getString("scope_type"),
        row.getString("scope_id"),
        row.getString("session_id"),
        row.getString("sandbox_id"),
        row.getString("action"),
        row.getString("result"),
        row.getString("address"));
  }
}
