package dev.sandboxer.platform.quota;

import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.problem.ProblemException;
import jakarta.enterprise.context.ApplicationScoped;
import org.jdbi.v3.core.Handle;

/** Caps the sandboxes that a tenant holds at once, clean-up debt included. */
@ApplicationScoped
public class Quota {

  private static final String LIMIT =
      """
      select coalesce(max_live, :fallback) as most, max_live is not null as own
      from tenant where id = :tenant for no key update
      """;

  private static final String HELD =
      """
      select (select count(*) from sandbox
               where tenant_id = :tenant and destroyed_at is null
                 and not (state = 'failed' and cleanup in ('done', 'abandoned')))
           + (select count(*) from attempt a join sandbox s on s.id = a.sandbox_id
               where a.tenant_id = :tenant and a.cleanup = 'pending' and a.id is distinct from s.attempt_id)
      """;

  private final int maxLive;
  private final Refusals refusals;

  Quota(Settings settings, Refusals refusals) {
    this.maxLive = settings.maxLive();
    this.refusals = refusals;
  }

  /**
   * Checks whether a tenant may hold one more. Creates of one tenant wait for each other here,
   * until the transaction ends.
   *
   * @param transaction in which the sandbox will be recorded
   * @param asked who wants it
   * @throws ProblemException QUOTA_EXCEEDED if the cap is reached
   */
  public void reserve(Handle transaction, Asked asked) {
    Limit limit =
        transaction
            .createQuery(LIMIT)
            .bind("fallback", maxLive)
            .bind("tenant", asked.tenantId())
            .map((row, _) -> new Limit(row.getInt("most"), row.getBoolean("own")))
            .one();
    long held =
        transaction.createQuery(HELD).bind("tenant", asked.tenantId()).mapTo(Long.class).one();
    if (held >= limit.most()) {
      throw refusals.refuse(transaction, asked, limit.reached(held));
    }
  }

  /**
   * How many a tenant may hold.
   *
   * @param most how many
   * @param own whether the tenant's row says so, else the setting
   */
  private record Limit(int most, boolean own) {

    Reached reached(long held) {
      return new Reached(
          "sandboxes",
          own ? "tenant.max_live" : Setting.SANDBOXER_MAX_LIVE.name(),
          null,
          most,
          held,
          "the tenant holds %d sandboxes and may hold %d; delete one or ask the operator for a higher limit"
              .formatted(held, most));
    }
  }
}
