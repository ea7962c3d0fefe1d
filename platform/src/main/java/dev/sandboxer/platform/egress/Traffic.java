package dev.sandboxer.platform.egress;

import dev.sandboxer.platform.egress.EgressFigures.Figures;
import dev.sandboxer.platform.egress.EgressFigures.HostFigures;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/**
 * What the programs of one sandbox have moved, by host. Written on the event loop, read anywhere.
 * Of the hosts a hundred have figures of their own.
 */
final class Traffic {

  private static final int MOST = 100;

  private final EgressMetrics metrics;
  private final Instant since;
  private final Map<Target, Counts> hosts = new ConcurrentHashMap<>();
  private final Counts others = new Counts();

  Traffic(EgressMetrics metrics, Instant since) {
    this.metrics = metrics;
    this.since = since;
  }

  private record Target(String host, int port) {}

  /** The figures of a host. */
  final class Counts {

    private final AtomicLong connections = new AtomicLong();
    private final AtomicLong denied = new AtomicLong();
    private final AtomicLong sent = new AtomicLong();
    private final AtomicLong received = new AtomicLong();

    void sent(int bytes) {
      sent.addAndGet(bytes);
      metrics.sent(bytes);
    }

    void received(int bytes) {
      received.addAndGet(bytes);
      metrics.received(bytes);
    }

    private Figures now() {
      return new Figures(connections.get(), denied.get(), sent.get(), received.get());
    }
  }

  /** A host was connected. */
  Counts connected(String host, int port) {
    Counts counts = counts(new Target(host, port), true);
    counts.connections.incrementAndGet();
    metrics.connected();
    return counts;
  }

  /** A host was refused. */
  void denied(String host, int port) {
    counts(new Target(host, port), false).denied.incrementAndGet();
    metrics.denied();
  }

  /** No host was connected for another reason. */
  void failed() {
    metrics.failed();
  }

  private Counts counts(Target target, boolean connected) {
    Counts known = hosts.get(target);
    if (known != null) {
      return known;
    }
    if (hosts.size() >= MOST && !(connected && dropDenied())) {
      return others;
    }
    Counts counts = new Counts();
    hosts.put(target, counts);
    return counts;
  }

  /** Hosts that were only refused give way: a program can make up as many as it likes. */
  private boolean dropDenied() {
    for (Map.Entry<Target, Counts> one : hosts.entrySet()) {
      if (one.getValue().connections.get() == 0) {
        hosts.remove(one.getKey());
        others.denied.addAndGet(one.getValue().denied.get());
        return true;
      }
    }
    return false;
  }

  EgressFigures now() {
    List<HostFigures> named =
        hosts.entrySet().stream()
            .map(
                one ->
                    new HostFigures(one.getKey().host(), one.getKey().port(), one.getValue().now()))
            .sorted(
                Comparator.comparingLong((HostFigures one) -> -one.figures().bytes())
                    .thenComparing(HostFigures::host)
                    .thenComparingInt(HostFigures::port))
            .toList();
    return new EgressFigures(since, named, others.now());
  }
}
