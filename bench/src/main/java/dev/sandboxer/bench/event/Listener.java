package dev.sandboxer.bench.event;

import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.http.EventStream;
import java.io.IOException;
import java.time.Clock;

/** Follows a tenant's events on a thread of its own. */
final class Listener implements AutoCloseable {

  private final EventStream stream;
  private final Clock clock;
  private final Ledger ledger = new Ledger();
  private volatile boolean closed;

  private Listener(EventStream stream, Clock clock) {
    this.stream = stream;
    this.clock = clock;
  }

  /** Returns once it follows. */
  static Listener open(Endpoint tenant, Clock clock) throws IOException {
    Listener listener = new Listener(EventStream.open(tenant, "/v1/events/stream"), clock);
    var _ = Thread.ofVirtual().start(listener::listen);
    return listener;
  }

  private void listen() {
    try {
      while (true) {
        Told told = Told.in(stream.next());
        ledger.add(told, clock.instant());
      }
    } catch (IOException e) {
      if (!closed) {
        ledger.unreadable(String.valueOf(e.getMessage()));
      }
    }
  }

  Ledger ledger() {
    return ledger;
  }

  @Override
  public void close() throws IOException {
    closed = true;
    stream.close();
  }
}
