package dev.sandboxer.platform.provisioning;

import static io.quarkus.scheduler.Scheduled.ConcurrentExecution.SKIP;

import dev.sandboxer.platform.host.Hosts;
import io.quarkus.scheduler.Scheduled;
import io.smallrye.common.annotation.RunOnVirtualThread;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Jdbi;

/**
 * Looks, from the backend's side, whether live sandboxes still live. One that has ended or vanished
 * fails once, and what it left is torn down. A backend that does not answer changes nothing.
 */
@ApplicationScoped
class BackendWatch {

  /** Inspections are spread, so that a round over thousands leaves the processors to requests. */
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

  private final Jdbi jdbi;
  private final Attempts attempts;
  private final LifeCheck lives;
  private final Hosts hosts;
  private final SilentHosts silences;

  BackendWatch(Jdbi jdbi, Attempts attempts, LifeCheck lives, Hosts hosts, SilentHosts silences) {
    this.silences = silences;
    this.jdbi = jdbi;
    this.attempts = attempts;
    this.lives = lives;
    this.hosts = hosts;
  }

  /** Inspects every live sandbox of this node, at most 500 a second. */
  @RunOnVirtualThread
  @Scheduled(identity = "watch", every = "2s", concurrentExecution = SKIP)
  void look() throws InterruptedException {
    List<Attempt> live = jdbi.withHandle(handle -> attempts.watched(handle, hosts.node().id()));
    Map<String, Boolean> answered = new HashMap<>();
    long next = System.nanoTime();
    for (Attempt attempt : live) {
      answered.merge(attempt.host().id(), lives.look(attempt), Boolean::logicalOr);
      next += PAUSE_NANOS;
      TimeUnit.NANOSECONDS.sleep(next - System.nanoTime());
    }
    silences.seen(answered);
  }
}
