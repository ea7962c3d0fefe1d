package dev.sandboxer.platform.quota;

import dev.sandboxer.platform.event.EventType;
import dev.sandboxer.platform.event.TenantEvents;
import dev.sandboxer.platform.ops.Failpoints;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.Problem;
import dev.sandboxer.platform.problem.ProblemException;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import org.jboss.logging.Logger;
import org.jdbi.v3.core.Handle;
import org.jspecify.annotations.Nullable;

/**
 * Refuses what is beyond a quota, and has the tenant hear of it by an event. The request's own
 * transaction is undone, so the event is written by one of its own right after, before the caller
 * gets the answer.
 */
@ApplicationScoped
public class Refusals {

  private static final Logger LOG = Logger.getLogger(Refusals.class);

  private final TenantEvents events;
  private final Failpoints failpoints;
  private final RefusalThrottle throttle;

  Refusals(TenantEvents events, Failpoints failpoints, InstantSource clock) {
    this.events = events;
    this.failpoints = failpoints;
    this.throttle = new RefusalThrottle(clock);
  }

  /**
   * Refuses.
   *
   * @param transaction of the request; the event is written once it is rolled back
   * @param asked who asked, and for what
   * @param reached the quota
   * @return QUOTA_EXCEEDED with {@code limit}, {@code in_use} and, where one counts, {@code
   *     setting}; to be thrown
   */
  public ProblemException refuse(Handle transaction, Asked asked, Reached reached) {
    transaction.afterRollback(() -> tell(transaction, asked, reached));
    Problem problem =
        Problem.of(ErrorCode.QUOTA_EXCEEDED, reached.message())
            .with("limit", reached.limit())
            .with("in_use", reached.inUse());
    @Nullable String setting = reached.setting();
    return new ProblemException(setting == null ? problem : problem.with("setting", setting));
  }

  private void tell(Handle handle, Asked asked, Reached reached) {
    RefusalThrottle.Kind kind =
        new RefusalThrottle.Kind(asked.tenantId(), reached.quota(), reached.userId());
    OptionalLong leftOut = throttle.count(kind);
    if (leftOut.isPresent()) {
      failpoints.reach("quota.refused");
      write(handle, kind, asked, detail(asked, reached, leftOut.getAsLong()));
    }
  }

  /** On the request's own connection: waiting for a second one could wait for ever. */
  private void write(
      Handle handle, RefusalThrottle.Kind kind, Asked asked, Map<String, Object> detail) {
    try {
      handle.useTransaction(
          own ->
              events.write(
                  own, asked.tenantId(), EventType.QUOTA_REFUSED, asked.consumer(), detail));
    } catch (RuntimeException e) {
      throttle.untold(kind);
      LOG.warnf("refusal not told tenant=%s quota=%s reason=%s", kind.tenantId(), kind.quota(), e);
    }
  }

  private static Map<String, Object> detail(Asked asked, Reached reached, long leftOut) {
    Map<String, Object> detail = new LinkedHashMap<>();
    detail.put("quota", reached.quota());
    putIfKnown(detail, "setting", reached.setting());
    putIfKnown(detail, "user_id", reached.userId());
    detail.put("limit", reached.limit());
    detail.put("in_use", reached.inUse());
    detail.put("repeats", leftOut);
    detail.put("error", reached.message());
    putIfKnown(detail, "profile_id", asked.profileId());
    return detail;
  }

  private static void putIfKnown(Map<String, Object> detail, String name, @Nullable String value) {
    if (value != null) {
      detail.put(name, value);
    }
  }
}
