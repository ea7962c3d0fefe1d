package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.health.FeatureCheck;
import dev.sandboxer.platform.health.Finding;
import io.smallrye.health.api.Wellness;
import jakarta.inject.Singleton;
import java.util.List;

/** Whether what sandboxes left on backends can be removed. */
@Wellness
@Singleton
class CleanupCheck extends FeatureCheck {

  private final CleanupDebt debt;

  CleanupCheck(CleanupDebt debt) {
    super("clean-up");
    this.debt = debt;
  }

  @Override
  public boolean asksDatabase() {
    return true;
  }

  @Override
  public List<Finding> findings() {
    CleanupDebt.Status status = debt.status();
    CleanupDebt.Failing oldest = status.oldest();
    String waiting = "%d waiting, %d failing".formatted(status.waiting(), status.failing());
    String why =
        oldest == null
            ? ""
            : "; %s since %s: %s; sandboxer cleanups lists them, and sandboxer cleanups forget %s gives up what is gone for ever"
                .formatted(oldest.sandbox(), oldest.since(), oldest.reason(), oldest.attempt());
    return List.of(new Finding("clean-up", status.failing() == 0, waiting + why));
  }
}
