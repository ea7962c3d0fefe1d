package dev.sandboxer.platform.reaper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.sandboxer.platform.testing.TestDatabase;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

/** To the guard, a clock that does not jump and falls behind is a wall clock that jumped ahead. */
@QuarkusTest
@QuarkusTestResource(TestDatabase.class)
class ClockGuardTest {

  @Inject Jdbi jdbi;

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

  /** A sandbox that no worker takes, as it is due only tomorrow. */
  private void record() {
    jdbi.useTransaction(
        open -> {
          open.execute(
              "insert into tenant (id, name) values ('ten_c0000000000000000000', 'clock')");
          open.execute(
              "insert into profile_version (id, version, content_hash, source) values"
                  + " ('profile.clock', 1, sha256('x'), 'x')");
          open.execute(
              """
              insert into sandbox (id, tenant_id, profile_id, profile_version, extension_id, spec,
                spec_hash, actor, project, state, ttl_seconds, hard_ttl_seconds, hard_expires_at,
                due_at)
              values ('c0000000000000000000', 'ten_c0000000000000000000', 'profile.clock', 1,
                'ext.x', '{}', sha256('x'), 'atm', 'p', 'requested', 1, 1,
                clock_timestamp() + interval '1 h', clock_timestamp() + interval '1 day')
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
