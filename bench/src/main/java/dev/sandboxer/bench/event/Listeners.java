package dev.sandboxer.bench.event;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.measure.Samples;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Platform;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A thousand listeners, ten of each of a hundred tenants: what they hear and what they cost. */
record Listeners(Platform platform, Clock clock) {

  private static final int TENANTS = 100;
  private static final int EACH = 10;
  private static final Duration WARM_UP = Duration.ofSeconds(2);
  private static final Duration TIME = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final double GOAL_MEGABYTES = 100;

  List<Row> rows() throws Exception {
    List<Endpoint> tenants = tenants();
    Lives lives = new Lives(tenants);
    List<Listener> all = new ArrayList<>();
    try {
      open(tenants.subList(0, EACH), all);
      var _ = lives.run(ToSink.RATE, WARM_UP);
      close(all);
      long before = platform.residentBytes();
      open(tenants, all);
      Lives.Done done = lives.run(ToSink.RATE, TIME);
      Samples delays = heard(all, done);
      double more = (platform.residentBytes() - before) / 1e6;
      return rows(done, delays, more);
    } finally {
      close(all);
    }
  }

  private static List<Row> rows(Lives.Done done, Samples delays, double more) {
    String title = TENANTS * EACH + " listeners, 10 an event";
    return List.of(
        ToSink.rate("events.listeners.rate", "events made meanwhile, for 100 tenants", done),
        Row.of("events.listeners", title + ": event to listener", "ms", delays),
        Row.single("events.listeners.rss", title + ", in the platform's JVM", "MB", more)
            .within(Goal.atMost(GOAL_MEGABYTES)));
  }

  /** Each must hear every event of its tenant: the lives went round the tenants. */
  private static Samples heard(List<Listener> all, Lives.Done done)
      throws IOException, InterruptedException {
    Samples delays = new Samples();
    for (int i = 0; i < all.size(); i++) {
      int tenant = i / EACH;
      int lives = done.count() / TENANTS + (tenant < done.count() % TENANTS ? 1 : 0);
      Ledger ledger = all.get(i).ledger();
      ledger.await((long) lives * Lives.EVENTS, PATIENCE);
      delays.addAll(ledger.delays());
    }
    return delays;
  }

  private List<Endpoint> tenants() throws IOException {
    Endpoint api = platform.api();
    List<Endpoint> tenants = new ArrayList<>();
    try (Connection connection = api.connect()) {
      for (int i = 0; i < TENANTS; i++) {
        String name = "bench-" + i;
        var _ =
            connection.call(api.post("/v1/tenants", "{\"name\": \"" + name + "\"}")).require(201);
        String wish =
            "{\"name\": \"bench\", \"role\": \"consumer\", \"tenant\": \"%s\"}".formatted(name);
        String key = connection.call(api.post("/v1/keys", wish)).require(201).field("key");
        tenants.add(new Endpoint(api.address(), api.host(), api.base(), key));
      }
    }
    return tenants;
  }

  private void open(List<Endpoint> tenants, List<Listener> all) throws IOException {
    for (Endpoint tenant : tenants) {
      for (int i = 0; i < EACH; i++) {
        all.add(Listener.open(tenant, clock));
      }
    }
  }

  private static void close(List<Listener> all) throws IOException {
    for (Listener listener : all) {
      listener.close();
    }
    all.clear();
  }
}
