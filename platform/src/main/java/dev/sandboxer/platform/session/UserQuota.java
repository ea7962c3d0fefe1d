package dev.sandboxer.platform.session;

import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.order.Order;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.quota.Reached;
import dev.sandboxer.platform.quota.Refusals;
import jakarta.enterprise.context.ApplicationScoped;
import org.jdbi.v3.core.Handle;

/** Caps the sandboxes that one user's sessions hold at once. */
@ApplicationScoped
class UserQuota {

  private static final int DEFAULT = 50;
  private static final int MOST = 1_000_000;

  private static final String HELD =
      """
      select count(*) from session
      where tenant_id = :tenant and user_id = :user and ended_at is null and created_sandbox
      """;

  private final int most;
  private final Refusals refusals;

  UserQuota(Settings settings, Refusals refusals) {
    this.most = settings.number(Setting.SANDBOXER_MAX_LIVE_USER, DEFAULT, MOST);
    this.refusals = refusals;
  }

  /**
   * Checks whether the user may have one more; those of one user wait for each other here.
   *
   * @throws ProblemException QUOTA_EXCEEDED if it has as many as it may
   */
  void reserve(Handle open, RequestedSession asked, Order order) {
    String user = asked.onBehalfOf().user();
    open.createQuery("select pg_advisory_xact_lock(hashtextextended(:name, 1))")
        .bind("name", "user/" + asked.tenantId() + "/" + user)
        .mapTo(String.class)
        .findOne();
    long held =
        open.createQuery(HELD)
            .bind("tenant", asked.tenantId())
            .bind("user", user)
            .mapTo(Long.class)
            .one();
    if (held >= most) {
      throw refusals.refuse(open, order.asked(), reached(user, held));
    }
  }

  private Reached reached(String user, long held) {
    return new Reached(
        "user_sandboxes",
        Setting.SANDBOXER_MAX_LIVE_USER.name(),
        user,
        most,
        held,
        "user '%s' holds %d sandboxes of %d; release one".formatted(user, held, most));
  }
}
