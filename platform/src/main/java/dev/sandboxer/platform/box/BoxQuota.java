package dev.sandboxer.platform.box;

import dev.sandboxer.platform.installation.Setting;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.quota.Asked;
import dev.sandboxer.platform.quota.Reached;
import dev.sandboxer.platform.quota.Refusals;
import jakarta.enterprise.context.ApplicationScoped;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/** Caps how many boxes a tenant holds, those without a living sandbox included. */
@ApplicationScoped
class BoxQuota {

  private static final int DEFAULT = 10_000;
  private static final int MOST = 1_000_000;
  private static final String HELD = "select held, most from held_boxes(:tenant)";

  private final int most;
  private final Refusals refusals;

  BoxQuota(Settings settings, Refusals refusals) {
    this.most = settings.number(Setting.SANDBOXER_MAX_BOXES, DEFAULT, MOST);
    this.refusals = refusals;
  }

  /**
   * Checks whether the tenant may hold one more; those of one tenant wait for each other here,
   * until the transaction ends.
   *
   * @throws ProblemException QUOTA_EXCEEDED if it has as many as it may
   */
  void reserve(Handle open, Asked asked) {
    Reached count =
        open.createQuery(HELD)
            .bind("tenant", asked.tenantId())
            .map((row, _) -> count(row.getLong("held"), row.getObject("most", Integer.class)))
            .one();
    if (count.inUse() >= count.limit()) {
      throw refusals.refuse(open, asked, count);
    }
  }

  private Reached count(long held, @Nullable Integer own) {
    int limit = own == null ? most : own;
    return new Reached(
        "boxes",
        own == null ? Setting.SANDBOXER_MAX_BOXES.name() : "tenant.max_boxes",
        null,
        limit,
        held,
        "the tenant holds %d boxes and may hold %d; delete one, or ask the operator for a higher limit or a shorter %s"
            .formatted(held, limit, Setting.SANDBOXER_BOX_RETENTION));
  }
}
