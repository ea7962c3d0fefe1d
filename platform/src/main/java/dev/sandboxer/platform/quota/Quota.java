package dev.sandboxer.platform.quota;

import dev.sandboxer.platform.installation.Settings;
import jakarta.enterprise.context.ApplicationScoped;
import org.jdbi.v3.core.Handle;

/** Caps the sandboxes that a tenant holds at once, clean-up debt included. */
@ApplicationScoped
public class Quota {

  private static final String LIMIT =
      "select coalesce(max_live, :fallback) from tenant where id = :tenant for no key update";

  private static final String HELD =
      """
      select (select count(*) from sandbox
               where tenant_id = :tenant and destroyed_at is null
                 and not (state = 'failed' and cleanup in ('done', 'abandoned')))
           + (select count(*) from attempt a join sandbox s on s.id = a.sandbox_id
               where a.tenant_id = :tenant and a.cleanup = 'pending' and a.generation < s.generation)
      """;

  private final int maxLive;

  Quota(Settings settings) {
    this.maxLive = settings.maxLive();
  }

  /**
   * Checks whether a tenant may hold one more. Creates of one tenant wait for each other here,
   * until the transaction ends.
   *
   * @param transaction in which the sandbox will be recorded
   * @param tenantId whose
   * @throws QuotaExceededException if the cap is reached
   */
  public void reserve(Handle transaction, String tenantId) throws QuotaExceededException {
    int limit =
        transaction
            .createQuery(LIMIT)
            .bind("fallback", maxLive)
            .bind("tenant", tenantId)
            .mapTo(Integer.class)
            .one();
    long held = transaction.createQuery(HELD).bind("tenant", tenantId).mapTo(Long.class).one();
    if (held >= limit) {
      throw new QuotaExceededException(held, limit);
    }
  }
}
