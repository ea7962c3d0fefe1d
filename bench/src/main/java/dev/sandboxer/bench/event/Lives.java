package dev.sandboxer.bench.event;

import dev.sandboxer.bench.backend.NothingBackend;
import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.subject.Sandbox;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sandboxes of the backend that does nothing, made ready and destroyed at a steady rate, for
 * several tenants in turn.
 */
final class Lives {

  /** Requested, provisioning, ready, destroying, destroyed. */
  static final int EVENTS = 5;

  private static final int CLIENTS = 16;

  private final List<Endpoint> tenants;
  private final List<ByteBuffer> creations = new ArrayList<>();

  Lives(List<Endpoint> tenants) {
    this.tenants = List.copyOf(tenants);
    tenants.forEach(tenant -> creations.add(Sandbox.creation(tenant, NothingBackend.PROFILE)));
  }

  /**
   * What was done.
   *
   * @param count lives
   * @param eventsPerSecond that were made
   */
  record Done(int count, double eventsPerSecond) {

    int events() {
      return count * EVENTS;
    }
  }

  /** Lives begin at their times whatever became of those before, as far as 16 clients can. */
  Done run(double eventsPerSecond, Duration time) throws Exception {
    long pause = (long) (EVENTS * 1e9 / eventsPerSecond);
    int count = (int) (time.toNanos() / pause);
    AtomicInteger next = new AtomicInteger();
    long begin = System.nanoTime();
    List<Future<?>> clients = new ArrayList<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(CLIENTS)) {
      for (int i = 0; i < CLIENTS; i++) {
        clients.add(
            pool.submit(
                () -> {
                  client(next, count, begin, pause);
                  return true;
                }));
      }
      for (Future<?> client : clients) {
        var _ = client.get();
      }
    }
    return new Done(count, count * EVENTS * 1e9 / (System.nanoTime() - begin));
  }

  private void client(AtomicInteger next, int count, long begin, long pause)
      throws IOException, InterruptedException {
    try (Connection connection = tenants.getFirst().connect()) {
      for (int i = next.getAndIncrement(); i < count; i = next.getAndIncrement()) {
        TimeUnit.NANOSECONDS.sleep(begin + i * pause - System.nanoTime());
        var _ = one(connection, i % tenants.size());
      }
    }
  }

  private String one(Connection connection, int tenant) throws IOException {
    String id = Sandbox.create(connection, creations.get(tenant));
    Sandbox.destroy(connection, tenants.get(tenant), id);
    return id;
  }

  /** One life of the first tenant; returns the sandbox's id. */
  String one() throws IOException {
    try (Connection connection = tenants.getFirst().connect()) {
      return one(connection, 0);
    }
  }
}
