package dev.sandboxer.platform.audit;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.database.Transactions;
import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import io.quarkus.panache.common.Sort;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the audit, and drops what is older than its retention. */
@ApplicationScoped
public class AuditTrail {

  private static final int DEFAULT_DAYS = 365;
  private static final int MOST_DAYS = 36_500;

  private final Transactions transactions;
  private final AuditRepository audit;
  private final int days;

  AuditTrail(Transactions transactions, AuditRepository audit, Settings settings) {
    this.transactions = transactions;
    this.audit = audit;
    this.days = settings.number(Setting.SANDBOXER_AUDIT_DAYS, DEFAULT_DAYS, MOST_DAYS);
  }

  /**
   * Which entries.
   *
   * @param equal name of an entry's part (a constant of the code) to wanted value
   * @param from earliest instant, null for all
   * @param to instant before which, null for all
   * @param before place of the last entry of the page before, null for the first page
   * @param limit entries wanted
   */
  public record Filter(
      Map<String, String> equal,
      @Nullable Instant from,
      @Nullable Instant to,
      @Nullable Long before,
      int limit) {

    /** Keeps an immutable copy. */
    public Filter {
      equal = Map.copyOf(equal);
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
    Map<String, Object> values = new HashMap<>(filter.equal());
    filter.equal().keySet().forEach(property -> where.add(property + " = :" + property));
    if (filter.from() != null) {
      where.add("at >= :earliest");
      values.put("earliest", filter.from());
    }
    if (filter.to() != null) {
      where.add("at < :until");
      values.put("until", filter.to());
    }
    if (filter.before() != null) {
      where.add("id < :before");
      values.put("before", filter.before());
    }
    return transactions.read(
        () ->
            audit
                .find(String.join(" and ", where), Sort.descending("id"), values)
                .project(AuditEntry.class)
                .page(0, filter.limit())
                .list());
  }

  /** Drops what is older than the retention; the only way in which the audit shrinks. */
  @RunOnVirtualThread
  @Scheduled(identity = "audit retention", every = "1h", concurrentExecution = SKIP)
  void sweep() {
    transactions.useTransaction(
        open -> {
          open.execute("set local sandboxer.audit_retention = 'on'");
          open.createUpdate(
                  "delete from audit where at < clock_timestamp() - make_interval(days => :days)")
              .bind("days", days)
              .execute();
        });
  }
}
