package dev.sandboxer.platform.boot;

import dev.sandboxer.platform.dataplane.OpenStreams;
import dev.sandboxer.platform.host.Hosts;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.provisioning.WorkLoop;
import io.quarkus.runtime.ShutdownDelayInitiatedEvent;
import io.quarkus.scheduler.Scheduler;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.event.Observes;
import java.time.Duration;
import org.jboss.logging.Logger;

/**
 * Drains a node that was asked to stop: it reports that it is not ready, hands its claims over, and
 * closes WebSockets so that their clients connect again.
 */
@ApplicationScoped
class Drain {

  private static final Logger LOG = Logger.getLogger(Drain.class);
  private static final Duration LAST_REQUESTS = Duration.ofSeconds(2);
  private static final Duration LOOK = Duration.ofMillis(10);

  private final RunMode mode;
  private final Home home;
  private final Settings settings;
  private final Hosts hosts;
  private final WorkLoop work;
  private final OpenStreams streams;
  private final Scheduler jobs;

  Drain(
      RunMode mode,
      Home home,
      Settings settings,
      Hosts hosts,
      WorkLoop work,
      OpenStreams streams,
      Scheduler jobs) {
    this.mode = mode;
    this.home = home;
    this.settings = settings;
    this.hosts = hosts;
    this.work = work;
    this.streams = streams;
    this.jobs = jobs;
  }

  /** Runs before anything is stopped. What fails only costs the others time. */
  void run(@Observes ShutdownDelayInitiatedEvent event) {
    if (!mode.serving()) {
      return;
    }
    hosts.endsSoon();
    try {
      Thread.sleep(settings.drainTime()); // load balancers need this long to notice
      jobs.pause();
      work.handOver();
      streams.restart();
      awaitRequests();
      hosts.leave();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      LOG.warnf("not all was handed over; the other nodes wait for its leases reason=%s", e);
    }
    home.remove("url"); // before the port is free for another program, which would get the key
  }

  private void awaitRequests() throws InterruptedException {
    long end = System.nanoTime() + LAST_REQUESTS.toNanos();
    while (streams.count() > 0 && System.nanoTime() < end) {
      Thread.sleep(LOOK);
    }
  }
}
