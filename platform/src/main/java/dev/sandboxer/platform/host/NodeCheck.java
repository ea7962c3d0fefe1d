package dev.sandboxer.platform.host;

import dev.sandboxer.platform.health.FeatureCheck;
import dev.sandboxer.platform.health.Finding;
import jakarta.inject.Singleton;
import java.util.List;
import org.eclipse.microprofile.health.Readiness;
import org.eclipse.microprofile.health.Startup;

/**
 * Whether this node is in the database, without which it claims no work, and not about to end: then
 * requests go to the others.
 */
@Startup
@Readiness
@Singleton
class NodeCheck extends FeatureCheck {

  private final Hosts hosts;

  NodeCheck(Hosts hosts) {
    super("node");
    this.hosts = hosts;
  }

  @Override
  public List<Finding> findings() {
    boolean up = hosts.registered() && !hosts.leaving();
    String detail = hosts.leaving() ? "ends soon" : up ? "registered" : "not registered yet";
    return List.of(new Finding("node", up, detail));
  }
}
