package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.host.GoneNodes;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Hosts whose backend answers for none of the live sandboxes that this node looks after. A host
 * counts as silent after the same time as a node counts as gone.
 */
@ApplicationScoped
class SilentHosts {

  private volatile Map<String, Long> silentSince = Map.of();
  private volatile Set<String> answering = Set.of();

  /**
   * Takes what a round over all live sandboxes has found.
   *
   * @param answered whether a host answered for any of its sandboxes
   */
  void seen(Map<String, Boolean> answered) {
    long now = System.nanoTime();
    Map<String, Long> since = new HashMap<>();
    answered.forEach(
        (host, one) -> {
          if (!one) {
            since.put(host, silentSince.getOrDefault(host, now));
          }
        });
    silentSince = Map.copyOf(since);
    answering =
        answered.keySet().stream()
            .filter(host -> !since.containsKey(host))
            .collect(Collectors.toUnmodifiableSet());
  }

  /** How long each silent host has been so. */
  Map<String, Duration> silent() {
    long now = System.nanoTime();
    return silentSince.entrySet().stream()
        .map(one -> Map.entry(one.getKey(), Duration.ofNanos(now - one.getValue())))
        .filter(one -> one.getValue().compareTo(GoneNodes.GRACE) >= 0)
        .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Those that answered in the last round. */
  Set<String> answering() {
    return answering;
  }
}
