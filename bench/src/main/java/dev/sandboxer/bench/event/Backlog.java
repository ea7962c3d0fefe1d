package dev.sandboxer.bench.event;

import dev.sandboxer.bench.http.Connection;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Platform;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/**
 * A paused sink with 100,000 events before it goes on: how soon it has them, and what that takes.
 */
record Backlog(Platform platform, Hub hub, Records records, Lives lives) {

  private static final int SANDBOXES = 20_000;
  private static final int A_BATCH = 2_000;
  private static final long EVENTS = (long) SANDBOXES * Lives.EVENTS;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final long LONGEST_NANOS = Duration.ofSeconds(100).toNanos();
  private static final long LOOK_MILLIS = 100;
  private static final double GOAL_PER_SECOND = 1_000;
  private static final double GOAL_MEGABYTES = 20;

  List<Row> rows() throws Exception {
    String model = lives.one();
    records.settle(PATIENCE);
    sink("pause");
    pile(model);
    long before = platform.residentBytes();
    Ledger ledger = hub.begin();
    sink("resume");
    try {
      return drain(ledger, before);
    } finally {
      sink("pause");
    }
  }

  private void pile(String model) throws SQLException, IOException, InterruptedException {
    for (int first = 1; first <= SANDBOXES; first += A_BATCH) {
      int last = first + A_BATCH - 1;
      records.copy(model, first, last);
      records.await((long) last * Lives.EVENTS, PATIENCE);
    }
  }

  /** What is not there after 100 s has missed the goal, and is not waited for. */
  private List<Row> drain(Ledger ledger, long before) throws IOException, InterruptedException {
    long begin = System.nanoTime();
    long early = before;
    long late = before;
    long count = ledger.count();
    while (count < EVENTS && System.nanoTime() - begin < LONGEST_NANOS) {
      Thread.sleep(LOOK_MILLIS);
      long now = platform.residentBytes();
      count = ledger.count();
      if (count < EVENTS / 2) {
        early = Math.max(early, now);
      } else {
        late = Math.max(late, now);
      }
    }
    double rate = count * 1e9 / (System.nanoTime() - begin);
    ledger.await(count, Duration.ZERO);
    return rows(rate, early - before, Math.max(0, late - early));
  }

  private static List<Row> rows(double rate, long first, long second) {
    return List.of(
        Row.single("events.backlog", "a backlog of 100,000 events to the State Hub", "1/s", rate)
            .within(Goal.atLeast(GOAL_PER_SECOND)),
        Row.single("events.backlog.rss", "memory it takes, first half", "MB", first / 1e6),
        Row.single("events.backlog.growth", "memory it takes more, second half", "MB", second / 1e6)
            .within(Goal.atMost(GOAL_MEGABYTES)));
  }

  private void sink(String verb) throws IOException {
    Endpoint api = platform.api();
    try (Connection connection = api.connect()) {
      var _ = connection.call(api.post("/v1/sinks/state-hub/" + verb, "{}")).require(200);
    }
  }
}
