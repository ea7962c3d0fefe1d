package dev.sandboxer.platform.order;

import dev.sandboxer.platform.quota.Asked;
import dev.sandboxer.platform.routing.RouteQuery;
import dev.sandboxer.platform.routing.Routing;
import dev.sandboxer.platform.sandbox.Consumer;
import dev.sandboxer.platform.sandbox.ExtensionId;
import dev.sandboxer.platform.sandbox.ProfileRef;
import dev.sandboxer.platform.secret.SecretRef;
import dev.sandboxer.platform.token.Capability;
import dev.sandboxer.spi.SandboxSpec;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * A sandbox to create, with everything resolved.
 *
 * @param tenantId owner
 * @param principalId the key that asks
 * @param routing where it may go
 * @param spec the resolved profile
 * @param consumer who asks
 * @param ttlSeconds time to live after ready
 * @param idleSeconds ends it when nobody has used it for so long
 * @param labels of the request
 * @param environment profile's and request's, for boxd alone
 * @param capabilities that tokens may have at most
 * @param secretRefs of its profile, by reference; see {@link OrderedSecrets}
 * @param archives ids, by the options that stand for them; empty until {@link OrderedArchives} has
 *     found them
 */
public record Order(
    String tenantId,
    String principalId,
    Routing routing,
    SandboxSpec spec,
    Consumer consumer,
    long ttlSeconds,
    long idleSeconds,
    Map<String, String> labels,
    Map<String, String> environment,
    Set<Capability> capabilities,
    List<SecretRef> secretRefs,
    Map<String, String> archives) {

  /** Keeps immutable copies. */
  public Order {
    labels = Map.copyOf(labels);
    environment = Map.copyOf(environment);
    capabilities = Set.copyOf(capabilities);
    secretRefs = List.copyOf(secretRefs);
    archives = Map.copyOf(archives);
  }

  /**
   * The same on one backend alone.
   *
   * @param extension one of the candidates
   * @return a copy
   */
  public Order on(ExtensionId extension) {
    return new Order(
        tenantId,
        principalId,
        routing.on(extension),
        spec,
        consumer,
        ttlSeconds,
        idleSeconds,
        labels,
        environment,
        capabilities,
        secretRefs,
        archives);
  }

  /**
   * The same with another idle time.
   *
   * @param seconds how long nobody may use it
   * @return a copy
   */
  public Order idle(long seconds) {
    return new Order(
        tenantId,
        principalId,
        routing,
        spec,
        consumer,
        ttlSeconds,
        seconds,
        labels,
        environment,
        capabilities,
        secretRefs,
        archives);
  }

  /**
   * The same with archives.
   *
   * @param ids by the options that stand for them
   * @return a copy
   */
  Order with(Map<String, String> ids) {
    return new Order(
        tenantId,
        principalId,
        routing,
        spec,
        consumer,
        ttlSeconds,
        idleSeconds,
        labels,
        environment,
        capabilities,
        secretRefs,
        ids);
  }

  /**
   * What is to be placed.
   *
   * @return for the planner
   */
  public RouteQuery query() {
    Map<String, String> all = new LinkedHashMap<>(spec.labels());
    all.putAll(labels);
    return new RouteQuery(tenantId, spec, routing, all, Duration.ofSeconds(ttlSeconds));
  }

  /**
   * Which profile it is of.
   *
   * @return id and version
   */
  public ProfileRef profile() {
    return new ProfileRef(spec.profileId(), spec.profileVersion());
  }

  /**
   * Who asks, as quotas want to know it.
   *
   * @return owner, consumer and profile
   */
  public Asked asked() {
    return new Asked(tenantId, consumer, spec.profileId());
  }
}
