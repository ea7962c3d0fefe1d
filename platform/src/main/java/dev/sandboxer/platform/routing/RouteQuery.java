package dev.sandboxer.platform.routing;

import dev.sandboxer.spi.SandboxSpec;
import java.time.Duration;
import java.util.Map;

/**
 * What is to be placed.
 *
 * @param tenantId owner
 * @param spec what is to be established
 * @param routing how
 * @param labels of the sandbox: the profile's with the request's laid over
 * @param duration how long it is to live, for prices
 */
public record RouteQuery(
    String tenantId,
    SandboxSpec spec,
    Routing routing,
    Map<String, String> labels,
    Duration duration) {

  /** Keeps an immutable copy. */
  public RouteQuery {
    labels = Map.copyOf(labels);
  }
}
