package dev.sandboxer.platform.sweep;

import dev.sandboxer.platform.health.FeatureCheck;
import dev.sandboxer.platform.health.Finding;
import io.smallrye.health.api.Wellness;
import jakarta.inject.Singleton;
import java.util.List;

/**
 * What the comparison of backends and records found, and whether it can be made. What does not
 * agree is mended without a person, unless it is more than may go at once.
 */
@Wellness
@Singleton
class SweepCheck extends FeatureCheck {

  /** In a row. One may meet a busy moment. */
  private static final int UNJUDGED_TO_REPORT = 3;

  private final Places places;

  SweepCheck(Places places) {
    super("sweep");
    this.places = places;
  }

  @Override
  public boolean asksDatabase() {
    return true;
  }

  @Override
  public List<Finding> findings() {
    return places.status().stream().map(SweepCheck::finding).toList();
  }

  private static Finding finding(Places.Status status) {
    String last =
        status.judgedAt() == null
            ? "not compared yet"
            : "%d objects, %d without a record, %d live sandboxes without an object, at %s"
                .formatted(
                    status.objects(), status.unrecorded(), status.missing(), status.judgedAt());
    String since =
        status.unjudged() == 0
            ? ""
            : "; %d listings in a row judge nothing: %s"
                .formatted(status.unjudged(), status.reason());
    return new Finding(
        "sweep %s on %s".formatted(status.extension(), status.host()),
        status.unjudged() < UNJUDGED_TO_REPORT && status.refusals() == 0,
        last + since + (status.refused() == null ? "" : "; " + status.refused()));
  }
}
