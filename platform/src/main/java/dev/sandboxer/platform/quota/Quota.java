package dev.sandboxer.platform.quota;

import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.problem.ProblemException;
import jakarta.enterprise.context.ApplicationScoped;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Caps the sandboxes that a tenant holds at once, clean-up debt included. */
@ApplicationScoped
public class Quota {

  private static final String HELD = "select held, most from held_sandboxes(:tenant)";

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
    Count count =
        transaction
            .createQuery(HELD)
            .bind("tenant", asked.tenantId())
            .map((row, _) -> count(row.getLong("held"), row.getObject("most", Integer.class)))
            .one();
    if (count.held() >= count.most()) {
      throw refusals.refuse(transaction, asked, count.reached());
    }
  }

  private Count count(long held, @Nullable Integer own) {
    return new Count(held, own == null ? maxLive : own, own != null);
  }

  /**
   * How many a tenant holds and may hold.
   *
   * @param held how many it holds
   * @param most how many it may hold
   * @param own whether the tenant's row says so, else the setting
   */
  private record Count(long held, int most, boolean own) {

    Reached reached() {
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
