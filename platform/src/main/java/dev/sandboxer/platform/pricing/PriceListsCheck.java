package dev.sandboxer.platform.pricing;

import dev.sandboxer.platform.health.FeatureCheck;
import dev.sandboxer.platform.health.Finding;
import io.smallrye.health.api.Wellness;
import jakarta.inject.Singleton;
import java.util.List;

/** Whether each price list is right. */
@Wellness
@Singleton
class PriceListsCheck extends FeatureCheck {

  private final PriceLists lists;

  PriceListsCheck(PriceLists lists) {
    super("prices");
    this.lists = lists;
  }

  @Override
  public List<Finding> findings() {
    return lists.findings();
  }
}
