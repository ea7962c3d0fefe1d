package dev.sandboxer.platform.provisioning;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.extension.ExtensionRegistry;
import dev.sandboxer.platform.extension.LoadedExtension;
import dev.sandboxer.platform.provisioning.BackendEnds.Renewal;
import dev.sandboxer.platform.trace.LogFields;
import dev.sandboxer.spi.ExtensionException;
import dev.sandboxer.spi.Lifetime;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.annotation.PreDestroy;
import jakarta.enterprise.context.ApplicationScoped;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;
import org.jboss.logging.Logger;

/**
 * Has backends that end sandboxes by themselves move that end, again and again while the sandbox
 * lives. A claimed one is asked at once, so that few are asked whose end was requested meanwhile.
 */
@ApplicationScoped
class Renewals {

  private static final Logger LOG = Logger.getLogger(Renewals.class);
  private static final int AT_ONCE = 32;

  private final BackendEnds ends;
  private final Backends backends;
  private final ExtensionRegistry registry;
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
  private final Semaphore room = new Semaphore(AT_ONCE);

  Renewals(BackendEnds ends, Backends backends, ExtensionRegistry registry) {
    this.ends = ends;
    this.backends = backends;
    this.registry = registry;
  }

  /** Claims what is due, and asks. */
  @RunOnVirtualThread
  @Scheduled(identity = "renewals", every = "2s", concurrentExecution = SKIP)
  void takeDue() {
    List<String> extensions = withLifetime();
    int free = room.availablePermits();
    if (extensions.isEmpty() || free == 0) {
      return;
    }
    for (Renewal renewal : ends.claim(extensions, free)) {
      room.acquireUninterruptibly();
      threads.execute(() -> renewInRoom(renewal));
    }
  }

  private List<String> withLifetime() {
    return registry.list().stream()
        .map(LoadedExtension::id)
        .filter(id -> registry.find(id).filter(Lifetime.class::isInstance).isPresent())
        .distinct()
        .toList();
  }

  private void renewInRoom(Renewal renewal) {
    LogFields.sandbox(renewal.attempt().sandboxId());
    try {
      renew(renewal);
    } catch (RuntimeException e) {
      LOG.warnf("renewal is left until its claim lapses %s reason=%s", named(renewal), e);
    } finally {
      room.release();
    }
  }

  private void renew(Renewal renewal) {
    try {
      Instant granted = backends.extend(renewal.attempt(), renewal.until());
      if (!ends.granted(renewal, granted)) {
        failed(renewal, "the backend grants no later end than " + granted);
      }
    } catch (ExtensionException e) {
      failed(renewal, e.code() + ": " + e.getMessage());
    }
  }

  /** Ignores the failure if the sandbox has ended meanwhile. */
  private void failed(Renewal renewal, String error) {
    if (ends.failed(renewal, error)) {
      LOG.warnf("the backend's own end was not moved %s reason=%s", named(renewal), error);
    }
  }

  private static String named(Renewal renewal) {
    return "sandbox=%s attempt=%s until=%s"
        .formatted(renewal.attempt().sandboxId(), renewal.attempt().id(), renewal.until());
  }

  /** Ends without waiting; the next start takes over its claims. */
  @PreDestroy
  void stop() {
    threads.shutdownNow();
  }
}
