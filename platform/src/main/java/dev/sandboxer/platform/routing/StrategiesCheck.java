package dev.sandboxer.platform.routing;

import dev.sandboxer.platform.health.FeatureCheck;
import dev.sandboxer.platform.health.Finding;
import io.smallrye.health.api.Wellness;
import jakarta.inject.Singleton;
import java.util.List;

/** Whether each folder of a strategy was loaded. */
@Wellness
@Singleton
class StrategiesCheck extends FeatureCheck {

  private final Strategies strategies;

  StrategiesCheck(Strategies strategies) {
    super("routing strategies");
    this.strategies = strategies;
  }

  @Override
  public List<Finding> findings() {
    return strategies.failed().entrySet().stream()
        .map(one -> new Finding(one.getKey(), false, one.getValue()))
        .toList();
  }
}
