package dev.sandboxer.platform.provisioning;

import dev.sandboxer.platform.host.GoneNodes;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;

/**
 * Hosts whose backend does not answer for the live sandboxes that this node looks after. A host
 * counts as silent after the same time as a node counts as gone.
 */
@ApplicationScoped
class SilentHosts {

  private final Map<String, Long> silentSince = new ConcurrentHashMap<>();
  private final Set<String> answering = ConcurrentHashMap.newKeySet();

  /**
   * Takes what a round over a host's sandboxes has found.
   *
   * @param answered whether it answered for any of them
   */
  void seen(String host, boolean answered) {
    if (answered) {
      silentSince.remove(host);
      answering.add(host);
    } else {
      answering.remove(host);
      silentSince.putIfAbsent(host, System.nanoTime());
    }
  }

  /** Forgets the others: nobody asks them any more. */
  void retain(Set<String> hosts) {
    silentSince.keySet().retainAll(hosts);
    answering.retainAll(hosts);
  }

  /** How long each silent host has been so. */
  Map<String, Duration> silent() {
    long now = System.nanoTime();
    return silentSince.entrySet().stream()
        .map(one -> Map.entry(one.getKey(), Duration.ofNanos(now - one.getValue())))
        .filter(one -> one.getValue().compareTo(GoneNodes.GRACE) >= 0)
        .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
  }

  /** Those that answered in their last round. */
  Set<String> answering() {
    return Set.copyOf(answering);
  }
}
