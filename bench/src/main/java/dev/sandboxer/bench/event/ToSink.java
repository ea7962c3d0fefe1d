package dev.sandboxer.bench.event;

import dev.sandboxer.bench.measure.Samples;
import dev.sandboxer.bench.report.Goal;
import dev.sandboxer.bench.report.Row;
import java.time.Duration;
import java.util.List;

/** From an event's writing, a moment before its commit, until the sink has read it. */
record ToSink(Hub hub, Records records, Lives lives) {

  static final double RATE = 200;

  private static final Duration WARM_UP = Duration.ofSeconds(6);
  private static final Duration TIME = Duration.ofSeconds(10);
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final double NEARLY = 0.95 * RATE;
  private static final double GOAL_P50_MILLIS = 20;
  private static final double GOAL_P99_MILLIS = 200;

  List<Row> rows() throws Exception {
    var _ = lives.run(RATE, WARM_UP);
    records.settle(PATIENCE);
    Ledger ledger = hub.begin();
    Lives.Done done = lives.run(RATE, TIME);
    ledger.await(done.events(), PATIENCE);
    Samples delays = ledger.delays();
    return List.of(
        rate("events.rate", "events made meanwhile", done),
        Row.of("events.to_sink", "event to State Hub", "ms", delays)
            .within(Goal.atMost(GOAL_P50_MILLIS)),
        Row.single("events.to_sink.p99", "event to State Hub, p99", "ms", delays.percentile(99))
            .within(Goal.atMost(GOAL_P99_MILLIS)));
  }

  /** A run with fewer events than wanted shows that it says less. */
  static Row rate(String id, String title, Lives.Done done) {
    return Row.single(id, title, "1/s", done.eventsPerSecond()).within(Goal.atLeast(NEARLY));
  }
}
