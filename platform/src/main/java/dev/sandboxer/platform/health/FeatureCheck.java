package dev.sandboxer.platform.health;

import java.util.List;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;

/**
 * A check of one feature, which may look after several things. It is up while all of them are well;
 * its data has the detail of each.
 */
public abstract class FeatureCheck implements HealthCheck {

  private final String name;

  /**
   * Names the check.
   *
   * @param name unique
   */
  protected FeatureCheck(String name) {
    this.name = name;
  }

  /**
   * Whether its findings come from the database.
   *
   * @return true if nothing can be found while that is away
   */
  public boolean asksDatabase() {
    return false;
  }

  /**
   * Looks after each thing. Blocks.
   *
   * @return one finding for each, empty while there is nothing
   */
  public abstract List<Finding> findings();

  @Override
  public HealthCheckResponse call() {
    HealthCheckResponseBuilder response = HealthCheckResponse.named(name);
    boolean up = true;
    for (Finding finding : findings()) {
      response.withData(finding.name(), finding.detail());
      up &= finding.ok();
    }
    return response.status(up).build();
  }
}
