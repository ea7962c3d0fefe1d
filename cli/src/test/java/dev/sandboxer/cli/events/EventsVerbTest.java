package dev.sandboxer.cli.events;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import dev.sandboxer.cli.terminal.Interrupts;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EventsVerbTest {
  private static final String LOG = "GET /v1/events";
  private static final String STREAM = "GET /v1/events/stream";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final List<String> resumed = new CopyOnWriteArrayList<>();
  private final List<String> asked = new CopyOnWriteArrayList<>();
  private StandIn platform;

  @BeforeEach
  void start() throws IOException {
    platform = new StandIn();
  }

  @AfterEach
  void stop() throws IOException {
    platform.close();
  }

  private static String event(long position, String word, String detail) {
    return """
        {"id": "evt_%d", "subject": {"sandbox_id": "%s"}, "position": %d, "type": "sandbox.%s",
         "occurred_at": "2026-01-01T00:00:0%dZ", "consumer": {"project": "demo"}, "detail": %s}
        """
        .formatted(position, StandIn.ID, position, word, position, detail)
        .replace("\n", " ");
  }

  private StandIn.Reply page(String next, String gap, String... events) {
    String body =
        "{\"items\": [%s], \"next_cursor\": %s%s}".formatted(String.join(",", events), next, gap);
    return request -> {
      asked.add(request.uri());
      StandIn.text(200, body).to(request);
    };
  }

  /** Sends what is given and goes on, or ends in order: a cut may take the last bytes along. */
  private StandIn.Reply stream(boolean ends, String... parts) {
    return request -> {
      note(request);
      var response = request.response().setChunked(true);
      var _ = response.putHeader("Content-Type", "text/event-stream").write("");
      for (String part : parts) {
        var _ = response.write(part);
      }
      if (ends) {
        var _ = response.end();
      }
    };
  }

  private void note(HttpServerRequest request) {
    resumed.add(String.valueOf(request.getHeader("Last-Event-ID")));
    asked.add(request.uri());
  }

  private static String message(long id, String event, String data) {
    return "id: %d\nevent: %s\ndata: %s\n\n".formatted(id, event, data);
  }

  @Test
  void theLogIsReadToItsEndALineAnEvent() {
    platform.next(
        LOG,
        page(
            "\"2\"",
            "",
            event(1, "requested", "{\"profile_id\": \"profile.local\"}"),
            event(
                2,
                "provisioning",
                "{\"extension_id\": \"ext.nsjail\", \"host\": \"h\\u001b[2J\"}")));
    platform.next(LOG, page("null", "", event(3, "failed", "{\"error\": \"no such image\"}")));
    CommandLineRun events = CommandLineRun.against(platform);
    assertThat(events.run("events", "--sandbox", StandIn.ID, "--type", "sandbox.*,session.ended"))
        .as(events.err())
        .isZero();
    assertThat(events.out().lines().map(line -> line.replaceAll(" {2,}", " | ")))
        .containsExactly(
            "2026-01-01T00:00:01.000Z | " + StandIn.ID + " | requested | profile.local, demo",
            "2026-01-01T00:00:02.000Z | " + StandIn.ID + " | provisioning | nsjail on h\\u001b[2J",
            "2026-01-01T00:00:03.000Z | " + StandIn.ID + " | failed | no such image");
    assertThat(asked)
        .containsExactly(
            "/v1/events?limit=500&sandbox_id=" + StandIn.ID + "&type=sandbox.*&type=session.ended",
            "/v1/events?limit=500&sandbox_id="
                + StandIn.ID
                + "&type=sandbox.*&type=session.ended&cursor=2");
  }

  @Test
  void anEventOfTheTenantHasTheTenantsId() {
    String tenant = "ten_k3v9a0q7x2m5n8b1c4d6";
    String refused =
        event(
                1,
                "x",
                "{\"profile_id\": \"profile.local\", \"error\": \"3 of 3\", \"repeats\": 199}")
            .replace("\"sandbox_id\": \"" + StandIn.ID, "\"tenant\": \"" + tenant)
            .replace("sandbox.x", "quota.refused");
    platform.next(LOG, page("null", "", refused));
    CommandLineRun events = CommandLineRun.against(platform);
    assertThat(events.run("events")).as(events.err()).isZero();
    assertThat(events.out().lines().map(line -> line.replaceAll(" {2,}", " | ")))
        .containsExactly(
            "2026-01-01T00:00:01.000Z | "
                + tenant
                + " | quota.refused | profile.local, demo, 3 of 3, 199 more before");
  }

  @Test
  void jsonIsAnObjectALineAndAGapIsOneToo() {
    platform.next(
        LOG, page("null", ", \"gap\": {\"from\": 1, \"to\": 4}", event(5, "ready", "{}")));
    CommandLineRun events = CommandLineRun.against(platform);
    assertThat(events.run("events", "--json", "--after", "0")).isZero();
    List<String> lines = events.out().lines().toList();
    assertThat(lines).hasSize(2);
    assertThat(new JsonObject(lines.get(0)))
        .isEqualTo(new JsonObject("{\"type\": \"gap\", \"from\": 1, \"to\": 4}"));
    assertThat(new JsonObject(lines.get(1)).getString("id")).isEqualTo("evt_5");
    assertThat(events.err()).contains("gap: events 1 to 4 are no longer kept");
    assertThat(asked.getFirst()).contains("cursor=0");
  }

  @Test
  void followingGoesOnWhereItBrokeAndTellsAGap() throws Exception {
    platform
        .next(STREAM, stream(true, ": following\nid: 1\n\n", message(2, "sandbox.ready", two())))
        .next(STREAM, StandIn.lost())
        .next(STREAM, StandIn.text(503, "starting"))
        .next(STREAM, stream(true, "id: 6\nevent: sandbox.active\nda"))
        .next(
            STREAM,
            stream(
                false,
                message(4, "gap", "{\"from\": 3, \"to\": 4}"),
                message(5, "sandbox.destroyed", event(5, "destroyed", "{\"duration_s\": 1.5}"))));
    CommandLineRun events = CommandLineRun.against(platform);
    CompletableFuture<Interrupts> signals = new CompletableFuture<>();
    CompletableFuture<Integer> end = events.start(signals, "events", "-f");
    await().atMost(PATIENCE).until(() -> events.out().contains("destroyed"));
    signals.join().arrive("INT");
    assertThat(end.get(60, TimeUnit.SECONDS)).isEqualTo(130);
    assertThat(events.out().lines()).hasSize(2);
    assertThat(events.out()).contains("ready").contains("destroyed").contains("lived 1.5 s");
    assertThat(events.err())
        .containsOnlyOnce("connecting again")
        .contains("gap: events 3 to 4 are no longer kept")
        .doesNotContain("interrupted");
    assertThat(resumed).containsExactly("null", "2", "2");
  }

  private static String two() {
    return event(2, "ready", "{}");
  }

  @Test
  void aSignOfLifeMovesThePlaceToGoOnFrom() throws Exception {
    platform
        .next(STREAM, stream(true, ": following\nid: 7\n\n", ": still here\nid: 9\n\n"))
        .next(STREAM, stream(false, message(10, "sandbox.ready", two())));
    CommandLineRun events = CommandLineRun.against(platform);
    CompletableFuture<Interrupts> signals = new CompletableFuture<>();
    var end = events.start(signals, "events", "-f", "--after", "3", "--type", "sandbox.ready");
    await().atMost(PATIENCE).until(() -> events.out().contains("ready"));
    signals.join().arrive("INT");
    assertThat(end.get(60, TimeUnit.SECONDS)).isEqualTo(130);
    assertThat(resumed).containsExactly("3", "9");
    assertThat(asked).containsOnly("/v1/events/stream?type=sandbox.ready");
  }

  @Test
  void aRefusalEndsIt() {
    platform.next(
        STREAM, StandIn.problem(401, "UNAUTHENTICATED", "the key has ended", new JsonObject()));
    CommandLineRun events = CommandLineRun.against(platform);
    assertThat(events.run("events", "-f")).isEqualTo(125);
    assertThat(events.err()).contains("UNAUTHENTICATED");
  }

  @Test
  void withoutAPlatformItFailsAtOnce() throws IOException {
    CommandLineRun events = CommandLineRun.against(platform);
    platform.close();
    assertThat(events.run("events", "-f")).isEqualTo(125);
    assertThat(events.err()).contains("no platform answers");
    platform = new StandIn();
  }

  @ParameterizedTest
  @ValueSource(strings = {"-1", "x", "1.5", "1234567890123456789"})
  void aPlaceThatIsNoneIsRefused(String after) {
    CommandLineRun events = CommandLineRun.against(platform);
    assertThat(events.run("events", "--after=" + after)).isEqualTo(2);
    assertThat(events.err()).contains("--after");
  }
}
