package dev.sandboxer.platform.installation;

import dev.sandboxer.platform.health.FeatureCheck;
import dev.sandboxer.platform.health.Finding;
import io.smallrye.health.api.Wellness;
import jakarta.inject.Singleton;
import java.util.List;

/** Whether this home and this database belong together. */
@Wellness
@Singleton
class InstallationCheck extends FeatureCheck {

  private final Installation installation;

  InstallationCheck(Installation installation) {
    super("installation");
    this.installation = installation;
  }

  @Override
  public List<Finding> findings() {
    return List.of(
        new Finding(
            "installation",
            !installation.sweepsReportOnly(),
            installation.doubt().orElse("known")));
  }
}
