package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.health.FeatureCheck;
import dev.sandboxer.platform.health.Finding;
import io.smallrye.health.api.Wellness;
import jakarta.inject.Singleton;
import java.util.List;

/** Whether backends that end sandboxes by themselves let us move that end in time. */
@Wellness
@Singleton
class RenewalCheck extends FeatureCheck {

  private final BackendEnds ends;

  RenewalCheck(BackendEnds ends) {
    super("renewals");
    this.ends = ends;
  }

  @Override
  public boolean asksDatabase() {
    return true;
  }

  @Override
  public List<Finding> findings() {
    BackendEnds.Status status = ends.status();
    String first = status.first();
    String detail = "%d failing, %d end soon".formatted(status.failing(), status.ending());
    return List.of(
        new Finding(
            "renewals", status.ending() == 0, first == null ? detail : detail + "; " + first));
  }
}
