package dev.sandboxer.platform.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.testing.TestDatabase;
import io.quarkus.scheduler.Scheduler;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is old goes, what is wanted stays, and who reads after the mark is told. */
@QuarkusTest
@QuarkusTestResource(TestDatabase.class)
@TestProfile(AtRest.class)
class RetentionTest {

  @Inject Jdbi jdbi;
  @Inject Events events;
  @Inject Scheduler scheduler;

  @TempDir Path home;

  private Retention retention;

  @BeforeEach
  void begin() {
    Settings settings =
        Settings.load(Home.open(home), Map.of("SANDBOXER_EVENT_RETENTION", "1h")::get);
    EventReader reader = () -> "e.subject = 'sb_wanted'";
    retention = new Retention(jdbi, scheduler, settings, List.of(reader));
    end();
  }

  @AfterEach
  void end() {
    jdbi.useHandle(
        open -> {
          open.execute("delete from event");
          open.execute("update event_retention set forgotten = 0");
        });
  }

  @Test
  void whatIsOldGoesInManyBatchesAndTheGapIsTold() {
    many("sb_old", 1, 3500, 2);
    many("sb_new", 3501, 10, 0);
    retention.sweep();
    assertThat(left()).isEqualTo(10);
    assertThat(events.gap(0)).contains(new Gap(1, 3500));
    assertThat(events.gap(3499)).contains(new Gap(3500, 3500));
    assertThat(events.gap(3500)).isEmpty();
  }

  @Test
  void whatIsWantedStaysUntilItIsNot() {
    many("sb_old", 1, 5, 2);
    many("sb_wanted", 6, 3, 2);
    many("sb_other", 9, 5, 2);
    retention.sweep();
    assertThat(left()).isEqualTo(3);
    assertThat(events.gap(0)).contains(new Gap(1, 13));
    jdbi.useHandle(open -> open.execute("update event set subject = 'sb_delivered'"));
    retention.sweep();
    assertThat(left()).isZero();
  }

  @Test
  void whatHasNoPositionAndWhatFollowsAYoungOneStays() {
    many("sb_old", 1, 2, 2);
    many("sb_young", 3, 1, 0);
    many("sb_late", 4, 2, 2);
    jdbi.useHandle(
        open -> open.execute("update event set position = null where position in (1, 2)"));
    retention.sweep();
    assertThat(left()).isEqualTo(5);
    assertThat(events.gap(0)).isEmpty();
  }

  @Test
  void anEmptyLogIsNoGap() {
    retention.sweep();
    assertThat(events.gap(0)).isEmpty();
  }

  private void many(String subject, int first, int count, int hoursOld) {
    jdbi.useHandle(
        open ->
            open.createUpdate(
                    """
                    insert into event (id, subject, seq, position, type, occurred_at)
                    select 'evt_t' || lpad(n::text, 19, '0'), :subject, n, n, 'test.done',
                      clock_timestamp() - make_interval(hours => :hours)
                    from generate_series(:first, :last) n
                    """)
                .bind("subject", subject)
                .bind("hours", hoursOld)
                .bind("first", first)
                .bind("last", first + count - 1)
                .execute());
  }

  private long left() {
    return jdbi.withHandle(
        open -> open.createQuery("select count(*) from event").mapTo(Long.class).one());
  }
}
