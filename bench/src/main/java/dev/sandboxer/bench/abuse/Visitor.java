package dev.sandboxer.bench.abuse;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Samples;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.locks.LockSupport;

/** A well-behaved client that asks again and again, each time on a new connection. */
final class Visitor {

  private static final long PAUSE_NANOS = 10_000_000;

  private final Callable<?> visit;
  private final Samples millis = new Samples();
  private volatile boolean enough;

  private Visitor(Callable<?> visit) {
    this.visit = visit;
  }

  /**
   * Answer times while something goes on, in milliseconds; any answer but a good one is an error.
   */
  static Samples beside(Callable<?> visit, Harm harm) throws Exception {
    Visitor visitor = new Visitor(visit);
    FutureTask<Samples> visits = new FutureTask<>(visitor::ask);
    Thread.ofPlatform().start(visits);
    try {
      harm.run();
    } finally {
      visitor.enough = true;
    }
    try {
      return visits.get();
    } catch (ExecutionException e) {
      throw new IOException("a well-behaved client: " + e.getCause(), e.getCause());
    }
  }

  /** What goes on meanwhile. */
  interface Harm {

    /** Returns when it is over. */
    void run() throws Exception;
  }

  /** One request on a connection of its own. */
  static Callable<?> request(Endpoint endpoint, ByteBuffer request) {
    return () -> {
      try (Connection connection = endpoint.connect()) {
        return connection.call(request).require(200);
      }
    };
  }

  private Samples ask() throws Exception {
    while (!enough) {
      long begin = System.nanoTime();
      visit.call();
      millis.add((System.nanoTime() - begin) / 1e6);
      LockSupport.parkNanos(PAUSE_NANOS);
    }
    return millis;
  }
}
