package dev.sandboxer.platform.provisioning;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.sandboxer.platform.event.EventType;
import dev.sandboxer.platform.id.SandboxId;
import dev.sandboxer.platform.sandbox.Change;
import dev.sandboxer.platform.sandbox.Sandbox;
import dev.sandboxer.platform.sandbox.Sandboxes;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Instance;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jboss.logging.Logger;

/**
 * Publishes which hosts programs were refused: each host once a minute, and a few hosts a minute
 * for each sandbox, whatever a program tries.
 */
@ApplicationScoped
class DeniedHosts {

  private static final Logger LOG = Logger.getLogger(DeniedHosts.class);
  private static final Duration QUIET = Duration.ofMinutes(1);
  private static final int MOST_OF_A_SANDBOX = 20;
  private static final int MOST_KNOWN = 10_000;

  private final Instance<Sandboxes> sandboxes;
  private final Cache<Refused, Boolean> published =
      Caffeine.newBuilder().expireAfterWrite(QUIET).maximumSize(MOST_KNOWN).build();
  private final Cache<SandboxId, AtomicInteger> counts =
      Caffeine.newBuilder().expireAfterWrite(QUIET).maximumSize(MOST_KNOWN).build();

  private record Refused(SandboxId sandboxId, String host, int port) {}

  DeniedHosts(Instance<Sandboxes> sandboxes) {
    this.sandboxes = sandboxes;
  }

  /** Returns at once. */
  void add(Sandbox sandbox, String host, int port, String reason) {
    Refused refused = new Refused(sandbox.id(), host, port);
    if (published.asMap().putIfAbsent(refused, true) != null) {
      return;
    }
    AtomicInteger count = counts.get(sandbox.id(), _ -> new AtomicInteger());
    if (count.incrementAndGet() <= MOST_OF_A_SANDBOX) {
      var _ = Thread.startVirtualThread(() -> write(sandbox, refused, reason));
    }
  }

  private void write(Sandbox sandbox, Refused refused, String reason) {
    try {
      var _ =
          sandboxes
              .get()
              .apply(
                  Change.note(sandbox.id(), EventType.NETWORK_DENIED.text())
                      .detail("destination_host", refused.host())
                      .detail("destination_port", refused.port())
                      .detail("reason", reason));
    } catch (RuntimeException e) {
      published.invalidate(refused);
      LOG.warnf(
          "refusal not recorded sandbox=%s host=%s reason=%s",
          sandbox.publicId(), refused.host(), e);
    }
  }
}
