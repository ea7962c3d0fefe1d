package dev.sandboxer.platform.reaper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sandboxer.platform.testing.TestDatabase;
import io.quarkus.arc.All;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** To the guard, a clock that does not jump and falls behind is a wall clock that jumped ahead. */
@QuarkusTest
@QuarkusTestResource(TestDatabase.class)
class ClockGuardTest {

  @Inject Jdbi jdbi;
  @All @Inject List<TimedEnds> timed;

  /** No node has seen a jump just now. */
  @BeforeEach
  void begin() {
    jdbi.useHandle(open -> open.execute("update installation set clock_shifted_at = null"));
  }

  @Test
  void aJumpMovesOpenDeadlinesOnceForAllNodesAndEndsNothing() {
    AtomicLong behind = new AtomicLong();
    ClockGuard one = new ClockGuard(jdbi, () -> System.nanoTime() - behind.get());
    ClockGuard other = new ClockGuard(jdbi, () -> System.nanoTime() - behind.get());
    assertThat(one.steady()).isTrue();
    assertThat(other.steady()).isTrue();
    record();
    double before = secondsLeft();

    behind.set(Duration.ofSeconds(20).toNanos());
    assertThat(one.steady()).as("20 s are within tolerance").isTrue();
    assertThat(other.steady()).isTrue();
    behind.set(Duration.ofHours(1).toNanos());
    assertThat(one.steady()).isFalse();
    assertThat(other.steady()).isFalse();
    assertThat(secondsLeft() - before).isCloseTo(3600 - 20, within(15.0));
    assertThat(one.steady()).isTrue();
  }

  @Test
  void aJumpBackMakesNoDeliveryWait() {
    AtomicLong ahead = new AtomicLong();
    ClockGuard guard = new ClockGuard(jdbi, timed, () -> System.nanoTime() + ahead.get());
    assertThat(guard.steady()).isTrue();
    jdbi.useTransaction(
        open -> {
          open.execute(
              "insert into sink (id, kind, due_at) values ('clock', 'x', clock_timestamp() + interval '1 h')");
          open.execute(
              """
              insert into sink_stream (sink_id, subject, next_seq, head_seq, due_at, claim_until)
              values ('clock', 'sb_due', 1, 1, clock_timestamp() + interval '1 h', null),
                ('clock', 'sb_ended', 2, 1, clock_timestamp() + interval '1 h', null),
                ('clock', 'sb_sent', 1, 1, clock_timestamp(), clock_timestamp() + interval '1 h')
              """);
        });
    ahead.set(Duration.ofHours(1).toNanos());
    assertThat(guard.steady()).isFalse();
    assertThat(waits("select due_at from sink where id = 'clock'")).isLessThan(60);
    for (String subject : List.of("sb_due", "sb_ended")) {
      assertThat(waits("select due_at from sink_stream where subject = '" + subject + "'"))
          .as(subject)
          .isLessThan(60);
    }
    assertThat(waits("select claim_until from sink_stream where subject = 'sb_sent'"))
        .isBetween(0.0, 100.0);
  }

  @Test
  void aJumpAheadTakesNoClaimAway() {
    AtomicLong behind = new AtomicLong();
    ClockGuard guard = new ClockGuard(jdbi, timed, () -> System.nanoTime() - behind.get());
    assertThat(guard.steady()).isTrue();
    jdbi.useTransaction(
        open -> {
          open.execute("insert into sink (id, kind) values ('clock', 'x')");
          open.execute(
              """
              insert into sink_stream (sink_id, subject, next_seq, head_seq, claim_until)
              values ('clock', 'sb_sent', 1, 1, clock_timestamp() - interval '59 min'),
                ('clock', 'sb_over', 1, 1, clock_timestamp() - interval '61 min')
              """);
        });
    behind.set(Duration.ofHours(1).toNanos());
    assertThat(guard.steady()).isFalse();
    String until = "select claim_until from sink_stream where subject = 'sb_";
    assertThat(waits(until + "sent'")).isBetween(0.0, 100.0);
    assertThat(waits(until + "over'")).isNegative();
    assertThat(waits("select max(due_at) from sink_stream"))
        .as("nothing waits longer")
        .isNegative();
  }

  /** What they granted was written by a clock that nobody trusts any more. */
  @Test
  void aJumpHasBackendsAskedAgainForTheirOwnEnd() {
    AtomicLong ahead = new AtomicLong();
    ClockGuard guard = new ClockGuard(jdbi, timed, () -> System.nanoTime() + ahead.get());
    assertThat(guard.steady()).isTrue();
    record();
    jdbi.useTransaction(
        open -> {
          open.execute(
              "insert into node (id, boot_id, version, lease_until) values"
                  + " ('clock', gen_random_uuid(), '1', clock_timestamp())");
          open.execute(
              "insert into host (id, address, node_id) values ('clock', 'local', 'clock')");
          open.execute(
              """
              insert into attempt (id, sandbox_id, tenant_id, generation, number, extension_id,
                host_id, node_id, phase, provider_until, renewal_due_at)
              values ('att_c0000000000000000000', 'c0000000000000000000',
                'ten_c0000000000000000000', 1, 1, 'ext.x', 'clock', 'clock', 'ready',
                clock_timestamp() + interval '20 min', clock_timestamp() + interval '10 min')
              """);
        });
    ahead.set(Duration.ofHours(1).toNanos());
    assertThat(guard.steady()).isFalse();
    boolean forgotten =
        jdbi.withHandle(
            open ->
                open.createQuery(
                        "select provider_until is null and renewal_due_at is null from attempt")
                    .mapTo(Boolean.class)
                    .one());
    assertThat(forgotten).isTrue();
  }

  @AfterEach
  void end() {
    jdbi.useHandle(open -> open.execute("delete from sink where id = 'clock'"));
  }

  private double waits(String instant) {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    "select extract(epoch from (%s) - clock_timestamp())".formatted(instant))
                .mapTo(Double.class)
                .one());
  }

  /** A sandbox that no worker takes, as it is due only tomorrow. */
  private void record() {
    jdbi.useTransaction(
        open -> {
          open.execute(
              "insert into tenant (id, name) values ('ten_c0000000000000000000', 'clock')"
                  + " on conflict do nothing");
          open.execute(
              "insert into profile_version (id, version, content_hash, source) values"
                  + " ('profile.clock', 1, sha256('x'), 'x') on conflict do nothing");
          open.execute(
              """
              insert into sandbox (id, tenant_id, profile_id, profile_version, extension_id, spec,
                spec_hash, actor, project, state, ttl_seconds, hard_ttl_seconds, hard_expires_at,
                due_at)
              values ('c0000000000000000000', 'ten_c0000000000000000000', 'profile.clock', 1,
                'ext.x', '{}', sha256('x'), 'atm', 'p', 'requested', 1, 1,
                clock_timestamp() + interval '1 h', clock_timestamp() + interval '1 day')
              on conflict do nothing
              """);
        });
  }

  private double secondsLeft() {
    return jdbi.withHandle(
        handle ->
            handle
                .createQuery(
                    """
                    select extract(epoch from hard_expires_at - clock_timestamp()) from sandbox
                    where id = 'c0000000000000000000'
                    """)
                .mapTo(Double.class)
                .one());
  }
}
