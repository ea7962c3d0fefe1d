package dev.sandboxer.platform.delivery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.event.AtRest;
import dev.sandboxer.platform.event.Event;
import dev.sandboxer.platform.testing.TestDatabase;
import dev.sandboxer.spi.Call;
import dev.sandboxer.spi.sink.EventMessage;
import dev.sandboxer.spi.sink.EventSink;
import dev.sandboxer.spi.sink.SinkException;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Who may send what, what is remembered of tries, and what becomes of who is not taken. */
@QuarkusTest
@QuarkusTestResource(TestDatabase.class)
@TestProfile(AtRest.class)
class SinkStreamsTest {

  private static final String SINK = "hub";

  @Inject Jdbi jdbi;
  @Inject SinkStreams streams;
  @Inject Sinks sinks;
  @Inject Messages messages;

  private volatile boolean away;
  private SinkLane lane;

  @BeforeEach
  void begin() {
    sinks.ensure(SINK, "file", Set.of());
    for (String subject : List.of("sb_a", "sb_b", "sb_c")) {
      jdbi.useHandle(
          open ->
              open.execute(
                  "insert into sink_stream (sink_id, subject, next_seq, head_seq) values (?, ?, 1, 5)",
                  SINK,
                  subject));
    }
  }

  @AfterEach
  void end() {
    sql("delete from sink");
  }

  private void sql(String sql) {
    jdbi.useHandle(open -> open.execute(sql));
  }

  @Test
  void whileAReceiverFailsTrulyOneIsTried() {
    fail();
    List<SinkStream> first = streams.claim(SINK, 32);
    assertThat(first).hasSize(1);
    assertThat(first.getFirst().failing()).isTrue();
    assertThat(streams.claim(SINK, 32)).as("the first hangs").isEmpty();
    streams.moved(first.getFirst(), 6);
    assertThat(streams.claim(SINK, 32)).hasSize(1);
  }

  @Test
  void whatThisNodeHadBeforeItsLastStartIsNobodys() {
    assertThat(streams.claim(SINK, 32)).hasSize(3);
    sql("update sink_stream set claim_owner = split_part(claim_owner, '/', 1) || '/before'");
    fail();
    assertThat(streams.claim(SINK, 32)).hasSize(1);
  }

  @Test
  void aTryCountsOnceOthersWereTakenMeanwhile() {
    SinkStream stream = claimed("sb_a");
    streams.later(stream, 1, again(false));
    fail();
    due();
    stream = claimed("sb_a");
    assertThat(stream.attempts()).isEqualTo(1);
    assertThat(stream.others()).isFalse();
    streams.later(stream, 1, again(false));
    assertThat(sinks.recovered(SINK)).isTrue();
    assertThat(sinks.recovered(SINK)).as("it was not away").isFalse();
    stream = claimed("sb_a");
    assertThat(stream.attempts()).as("as long as nothing else got through").isEqualTo(1);
    assertThat(stream.others()).isTrue();
    streams.later(stream, 1, again(true));
    stream = claimed("sb_a");
    assertThat(stream.attempts()).isEqualTo(2);
    assertThat(stream.others()).as("since the last try").isFalse();
  }

  @Test
  void whoIsHurriedWhileItIsBeingSentDoesNotWaitForItsNextTry() {
    SinkStream stream = claimed("sb_a");
    assertThat(streams.hurry(SINK, "sb_a", 1)).isTrue();
    streams.later(stream, 1, new DeliveryResult.Again("no", Duration.ofHours(1), true));
    stream = claimed("sb_a");
    assertThat(stream.attempts()).isZero();
    assertThat(streams.hurry(SINK, "sb_a", 1)).isTrue();
    streams.park(stream, 1, "no");
    stream = claimed("sb_a");
    streams.later(stream, 1, new DeliveryResult.Again("no", Duration.ofHours(1), true));
    assertThat(claim("sb_a")).as("nobody hurried it any more").isEmpty();
    assertThat(streams.hurry(SINK, "sb_a", 1)).isTrue();
    streams.later(claimed("sb_a"), 1, new DeliveryResult.Again("no", Duration.ofHours(1), true));
    assertThat(claim("sb_a")).as("it was hurried before it was taken up").isEmpty();
  }

  @Test
  void theBacklogsOfTenantsAreToldInOne() {
    sql("insert into tenant (id, name) values ('ten_k0000000000000000000', 'k')");
    sql("update sink set tenant_id = 'ten_k0000000000000000000', failures = 2");
    sql("update sink_stream set parked_at = clock_timestamp() where subject = 'sb_a'");
    sql("update sink_stream set next_seq = 6 where subject = 'sb_b'");
    WebhookStatus told = sinks.webhooks();
    assertThat(told.all()).isEqualTo(1);
    assertThat(told.failing()).isEqualTo(1);
    assertThat(told.lag()).isEqualTo(10);
    assertThat(told.parked()).isEqualTo(1);
    assertThat(sinks.status()).isEmpty();
    sql("update sink set state = 'paused'");
    assertThat(sinks.webhooks().lag()).as("who pauses waits for nothing").isZero();
    assertThat(sinks.webhooks().paused()).isEqualTo(1);
  }

  @Test
  void whatIsAtItsEndIsNotAmongWhatWaits() {
    sql("update sink_stream set next_seq = 6 where subject <> 'sb_a'");
    assertThat(sinks.status().getFirst().lag()).isEqualTo(5);
    sql("update sink_stream set next_seq = 6");
    assertThat(sinks.status().getFirst().lag()).isZero();
    assertThat(sinks.status().getFirst().lagSeconds()).isZero();
  }

  private static DeliveryResult.Again again(boolean counts) {
    return new DeliveryResult.Again("no", Duration.ZERO, counts);
  }

  /** The receiver has failed, and its pause is over. */
  private void fail() {
    sinks.failed(SINK, "away", Duration.ZERO, Duration.ofSeconds(1));
    due();
  }

  private void due() {
    sql("update sink set due_at = clock_timestamp()");
  }

  private List<SinkStream> claim(String subject) {
    sql("delete from sink_stream where subject <> '%s'".formatted(subject));
    return streams.claim(SINK, 32);
  }

  private SinkStream claimed(String subject) {
    List<SinkStream> all = claim(subject);
    assertThat(all).hasSize(1);
    return all.getFirst();
  }

  @BeforeEach
  void makeLane() {
    away = false;
    EventSink sink =
        new EventSink() {
          @Override
          public void deliver(EventMessage event, Call call) throws SinkException {
            if (away) {
              throw SinkException.away("it answered 500", null);
            }
          }

          @Override
          public void close() {}
        };
    lane =
        new SinkLane(
            new ConfiguredSinks.Configured(SINK, "file", Set.of(), sink),
            streams,
            sinks,
            messages,
            List.of(Duration.ofSeconds(7)));
  }

  private static SinkStream stream(int attempts, boolean others, boolean failing) {
    return new SinkStream(SINK, "sb_a", 1, 1, attempts, 1, others, failing);
  }

  private DeliveryResult deliver(SinkStream stream) {
    Event event =
        new Event(
            "evt_d1f4k3v9a0q7x2m5n8b6",
            "ten_k3v9a0q7x2m5n8b1c4d6",
            "sb_a",
            1,
            1L,
            "sandbox.ready",
            Instant.EPOCH,
            Map.of(),
            null,
            "ready",
            Map.of());
    return lane.deliver(stream, event, stream.attemptAt(1));
  }

  private int failures() {
    return sinks.status().getFirst().failures();
  }

  @Test
  void whatAnotherNodeSawFailIsBackOnceThisOneDelivers() {
    sinks.failed(SINK, "it was away", Duration.ZERO, Duration.ofSeconds(1));
    assertThat(failures()).isEqualTo(1);
    due();
    assertThat(deliver(lane.claim(32).getFirst())).isEqualTo(new DeliveryResult.Taken());
    assertThat(failures()).isZero();
  }

  @Test
  void aStopIsNoFailure() {
    away = true;
    lane.ending();
    assertThat(deliver(stream(0, false, false))).isEqualTo(new DeliveryResult.Held());
    assertThat(failures()).isZero();
  }

  @Test
  void whatFailsAloneHasAPlanAndAnEnd() {
    away = true;
    DeliveryResult.Again free = new DeliveryResult.Again("it answered 500", Duration.ZERO, false);
    assertThat(deliver(stream(0, true, false))).as("the first failure").isEqualTo(free);
    assertThat(deliver(stream(1, false, true))).as("nothing else arrived").isEqualTo(free);
    assertThat(deliver(stream(1, true, false)))
        .isEqualTo(new DeliveryResult.Again("it answered 500", Duration.ofSeconds(7), true));
    assertThat(deliver(stream(2, false, true))).as("the hub is away").isEqualTo(free);
    assertThat(deliver(stream(2, true, false)))
        .isEqualTo(new DeliveryResult.SetAside("it answered 500"));
  }
}
