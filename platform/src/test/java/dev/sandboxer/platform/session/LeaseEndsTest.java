package dev.sandboxer.platform.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.event.AtRest;
import dev.sandboxer.platform.testing.StoredSpec;
import dev.sandboxer.platform.testing.TestDatabase;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.concurrent.atomic.AtomicInteger;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** While nobody watched nobody could renew: a lease that was over by then still has its grace. */
@QuarkusTest
@QuarkusTestResource(TestDatabase.class)
@TestProfile(AtRest.class)
class LeaseEndsTest {

  private static final Duration GRACE = Duration.ofMinutes(2);
  private static final Duration STEP = Duration.ofSeconds(1);
  private static final AtomicInteger MADE = new AtomicInteger();

  @Inject Jdbi jdbi;
  @Inject StoredSpec spec;
  @Inject SessionEnds sessionEnds;

  private LeaseEnds ends;
  private OffsetDateTime now = OffsetDateTime.now(ZoneOffset.UTC);

  @BeforeEach
  void begin() {
    ends = new LeaseEnds(jdbi, sessionEnds, new LeaseRules(GRACE, GRACE, Duration.ofMinutes(5)));
  }

  /** A session whose lease and idle time are over since long, on a sandbox that is ready. */
  private String overdue() {
    String digits = "%019d".formatted(MADE.incrementAndGet());
    jdbi.useTransaction(
        open -> {
          open.execute("set local session_replication_role = replica");
          open.execute("insert into tenant (id, name) values (?, ?)", "ten_l" + digits, digits);
          open.execute(
              """
              insert into sandbox (id, tenant_id, profile_id, profile_version, extension_id, spec,
                spec_hash, actor, project, state, ttl_seconds, hard_ttl_seconds, attempt_id,
                expires_at, hard_expires_at, ready_at)
              values (?, ?, 'profile.lease', 1, 'ext.x', cast(? as jsonb), sha256('x'), 'atm', 'p', 'ready', 1,
                1, 'none', clock_timestamp() + interval '9 h', clock_timestamp() + interval '9 h',
                clock_timestamp())
              """,
              "l" + digits,
              "ten_l" + digits,
              spec.text());
          open.execute(
              """
              insert into session (id, tenant_id, scope_type, scope_id, sandbox_id,
                created_sandbox, lease_until, idle_until)
              values (?, ?, 'thread', 't', ?, false, clock_timestamp() - interval '1 h',
                clock_timestamp() - interval '1 h')
              """,
              "ssn_l" + digits,
              "ten_l" + digits,
              "l" + digits);
        });
    return "ssn_l" + digits;
  }

  private boolean ended(String session) {
    return jdbi.withHandle(
        open ->
            open.createQuery("select ended_at is not null from session where id = :id")
                .bind("id", session)
                .mapTo(Boolean.class)
                .one());
  }

  /** Passes every second, as the reaper does, so long that the last is at the end of the time. */
  private void watch(Duration time) {
    for (Duration t = Duration.ZERO; t.compareTo(time) < 0; t = t.plus(STEP)) {
      now = now.plus(STEP);
      ends.pass(now);
    }
  }

  @Test
  void afterAStartNothingEndsBeforeTheGrace() {
    String session = overdue();
    ends.pass(now);
    watch(GRACE.minus(STEP));
    assertThat(ended(session)).isFalse();
    watch(STEP);
    assertThat(ended(session)).isTrue();
  }

  @Test
  void afterAGapTheGraceBeginsAnewAndAfterAShortPauseItDoesNot() {
    ends.pass(now);
    watch(GRACE);
    now = now.plus(GRACE.dividedBy(2));
    String paused = overdue();
    ends.pass(now);
    assertThat(ended(paused)).as("after a short pause").isTrue();

    String session = overdue();
    now = now.plus(GRACE);
    ends.pass(now);
    watch(GRACE.minus(STEP));
    assertThat(ended(session)).as("after a gap").isFalse();
    watch(STEP);
    assertThat(ended(session)).isTrue();
  }

  @Test
  void afterAJumpOfTheClockTheGraceBeginsAnew() {
    ends.pass(now);
    watch(GRACE);
    String session = overdue();
    ends.unsteady();
    watch(GRACE);
    assertThat(ended(session)).isFalse();
    watch(STEP);
    assertThat(ended(session)).isTrue();
  }
}
