package dev.sandboxer.platform.installation;

import dev.sandboxer.platform.health.FeatureCheck;
import dev.sandboxer.platform.health.Finding;
import io.smallrye.health.api.Wellness;
import jakarta.inject.Singleton;
import java.util.List;
import java.util.Optional;

/** Whether this home and this database belong together. */
@Wellness
@Singleton
class InstallationCheck extends FeatureCheck {

  private final InstallationStore store;

  InstallationCheck(InstallationStore store) {
    super("installation");
    this.store = store;
  }

  @Override
  public boolean asksDatabase() {
    return true;
  }

  @Override
  public List<Finding> findings() {
    Optional<String> doubt = store.doubt();
    return List.of(
        new Finding(
            "installation",
            doubt.isEmpty(),
            doubt
                .map(why -> why + "; sweeps only report until sandboxer sweep --accept-restore")
                .orElse("known")));
  }
}
