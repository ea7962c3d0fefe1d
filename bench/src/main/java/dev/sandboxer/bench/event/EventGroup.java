package dev.sandboxer.bench.event;

import dev.sandboxer.bench.backend.NothingBackend;
import dev.sandboxer.bench.group.Group;
import dev.sandboxer.bench.http.Endpoint;
import dev.sandboxer.bench.report.Row;
import dev.sandboxer.bench.subject.Platform;
import dev.sandboxer.bench.subject.Scene;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Events: what one costs, how soon sinks and listeners have it, and that a sink that fails slows no
 * create. The platform is started anew, with a State Hub and the backend that does nothing.
 */
public final class EventGroup implements Group {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final Clock clock;

  /** With the clock that says when events arrive; it must be the database's. */
  public EventGroup(Clock clock) {
    this.clock = clock;
  }

  @Override
  public List<Row> measure(Scene scene) throws Exception {
    try (Hub hub = new Hub(clock)) {
      Platform stopped = scene.stopped();
      stopped.set("SANDBOXER_STATE_HUB_URL", hub.url().toString());
      NothingBackend.addTo(stopped);
      Platform platform = scene.platform();
      try (Records records = Records.of(platform)) {
        return measure(platform, hub, records);
      }
    }
  }

  private List<Row> measure(Platform platform, Hub hub, Records records) throws Exception {
    Endpoint api = platform.api();
    Lives lives = new Lives(List.of(api));
    String model = lives.one();
    List<Row> rows = new ArrayList<>();
    records.withoutSink();
    rows.addAll(Cost.rows(records, model));
    records.settle(PATIENCE);
    records.withSink();
    rows.addAll(new ToSink(hub, records, lives).rows());
    rows.addAll(new Listeners(platform, clock).rows());
    rows.addAll(new Faults(hub, records, api).rows());
    rows.addAll(new Backlog(platform, hub, records, lives).rows());
    return rows;
  }
}
