package dev.sandboxer.platform.quota;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.sandboxer.platform.event.AtRest;
import dev.sandboxer.platform.event.Event;
import dev.sandboxer.platform.event.Events;
import dev.sandboxer.platform.event.TenantEvents;
import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Settings;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.sandbox.Consumer;
import dev.sandboxer.platform.testing.TestDatabase;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a quota refuses is told once a minute, in order, and undoes nothing but the request. */
@QuarkusTest
@QuarkusTestResource(TestDatabase.class)
@TestProfile(AtRest.class)
class RefusalsTest {

  private static final Duration MINUTE = Duration.ofMinutes(1);
  private static final int CONNECTIONS = 8;
  private static final AtomicInteger TENANTS = new AtomicInteger();

  @Inject Jdbi jdbi;
  @Inject Events events;
  @Inject TenantEvents log;

  @TempDir Path home;

  private volatile Instant now = Instant.parse("2026-01-01T00:00:00Z");
  private Refusals refusals;
  private Quota quota;
  private String tenant;

  @BeforeEach
  void begin() {
    refusals = refusals();
    quota = quota(refusals);
    tenant = newTenant();
  }

  /** As another node has them. */
  private Refusals refusals() {
    return new Refusals(log, _ -> {}, () -> now);
  }

  private Quota quota(Refusals refusals) {
    return new Quota(
        Settings.load(Home.open(home), Map.of("SANDBOXER_MAX_LIVE", "0")::get), refusals);
  }

  private String newTenant() {
    String id = "ten_t%019d".formatted(TENANTS.incrementAndGet());
    jdbi.useHandle(
        open -> open.execute("insert into tenant (id, name) values (?, ?)", id, "name " + id));
    return id;
  }

  private static Asked asked(String tenant) {
    return new Asked(
        tenant,
        new Consumer("agt", "demo", "s-1", null, Map.of("task_id", "tsk-1")),
        "profile.local");
  }

  private void refused(String tenant) {
    refused(open -> quota.reserve(open, asked(tenant)));
  }

  private void refused(java.util.function.Consumer<Handle> request) {
    assertThatThrownBy(() -> jdbi.useTransaction(request::accept))
        .isInstanceOfSatisfying(
            ProblemException.class,
            e -> assertThat(e.problem().code()).isEqualTo(ErrorCode.QUOTA_EXCEEDED));
  }

  private List<Event> told(String tenant) {
    return events.ofSubject(tenant, 0, Long.MAX_VALUE, 1000);
  }

  private static List<Long> numbers(List<Event> events) {
    return events.stream().map(Event::seq).toList();
  }

  private static Object throttle(Event event) {
    return event.detail().get("repeats");
  }

  @Test
  void theEventStaysThoughTheRequestIsUndone() {
    refused(
        open -> {
          open.execute("update tenant set name = 'undone' where id = ?", tenant);
          quota.reserve(open, asked(tenant));
        });
    assertThat(name()).isEqualTo("name " + tenant);
    assertThat(told(tenant))
        .singleElement()
        .satisfies(
            event -> {
              assertThat(event.type()).isEqualTo("quota.refused");
              assertThat(event.subject()).isEqualTo(tenant);
              assertThat(event.sandboxId()).isNull();
              assertThat(event.seq()).isEqualTo(1);
              assertThat(event.state()).isNull();
              assertThat(event.actorType()).isEqualTo("agt");
              assertThat(event.consumer())
                  .contains(entry("project", "demo"), entry("task_id", "tsk-1"));
              assertThat(event.detail())
                  .contains(
                      entry("quota", "sandboxes"),
                      entry("setting", "SANDBOXER_MAX_LIVE"),
                      entry("limit", 0),
                      entry("in_use", 0),
                      entry("repeats", 0),
                      entry("profile_id", "profile.local"))
                  .containsKey("error")
                  .doesNotContainKey("user_id");
            });
  }

  private String name() {
    return jdbi.withHandle(
        open ->
            open.createQuery("select name from tenant where id = :id")
                .bind("id", tenant)
                .mapTo(String.class)
                .one());
  }

  @Test
  void aTenantsOwnLimitIsNamedInPlaceOfTheSetting() {
    jdbi.useHandle(open -> open.execute("update tenant set max_live = 0 where id = ?", tenant));
    refused(tenant);
    assertThat(told(tenant).getFirst().detail()).contains(entry("setting", "tenant.max_live"));
  }

  @Test
  void aStormIsOneEventAndTheNextOneSaysHowManyThereWere() {
    atOnce(200, _ -> refused(tenant));
    assertThat(told(tenant)).singleElement().satisfies(e -> assertThat(throttle(e)).isEqualTo(0));
    now = now.plus(MINUTE).minusMillis(1);
    refused(tenant);
    assertThat(told(tenant)).hasSize(1);
    now = now.plusMillis(1);
    refused(tenant);
    now = now.plus(MINUTE);
    refused(tenant);
    assertThat(told(tenant)).extracting(RefusalsTest::throttle).containsExactly(0, 200, 0);
    assertThat(numbers(told(tenant))).containsExactly(1L, 2L, 3L);
  }

  @Test
  void othersUsersQuotasAndTenantsAreToldOfTheirOwn() {
    String other = newTenant();
    refused(tenant);
    refused(tenant);
    refused(open -> refuseUser(open, "usr_1"));
    refused(open -> refuseUser(open, "usr_2"));
    refused(open -> refuseUser(open, "usr_1"));
    assertThat(told(tenant))
        .extracting(event -> event.detail().get("user_id"))
        .containsExactly(null, "usr_1", "usr_2");
    assertThat(told(other)).isEmpty();
    refused(other);
    assertThat(numbers(told(other))).containsExactly(1L);
    assertThat(told(other).getFirst().tenantId()).isEqualTo(other);
  }

  private void refuseUser(Handle open, String user) {
    throw refusals.refuse(
        open,
        new Asked(tenant, null, null),
        new Reached("user_sandboxes", "SANDBOXER_MAX_LIVE_USER", user, 2, 2, "2 of 2"));
  }

  @Test
  void severalNodesAtOnceNumberWithoutAHole() {
    atOnce(16, _ -> refused(open -> quota(refusals()).reserve(open, asked(tenant))));
    assertThat(numbers(told(tenant)))
        .isEqualTo(IntStream.rangeClosed(1, 16).mapToObj(Long::valueOf).toList());
  }

  @Test
  void whatCanNotBeWrittenIsRefusedAllTheSameAndCounted() {
    String block = "alter table event add constraint full_disk check (false) not valid";
    jdbi.useHandle(open -> open.execute(block));
    try {
      refused(tenant);
      refused(tenant);
    } finally {
      jdbi.useHandle(open -> open.execute("alter table event drop constraint full_disk"));
    }
    refused(tenant);
    assertThat(told(tenant)).as("the minute of the one that failed").isEmpty();
    now = now.plus(MINUTE);
    refused(tenant);
    assertThat(told(tenant)).extracting(RefusalsTest::throttle).containsExactly(3);
    assertThat(numbers(told(tenant))).containsExactly(1L);
  }

  @Test
  void aClockThatWentBackSilencesNothing() {
    refused(tenant);
    now = now.minus(Duration.ofDays(1));
    refused(tenant);
    assertThat(told(tenant)).hasSize(2);
  }

  @Test
  void tooManyKindsAreForgottenAndNoneIsHidden() {
    RefusalThrottle throttle = new RefusalThrottle(() -> now);
    for (int i = 0; i < 10_000; i++) {
      assertThat(throttle.count(new RefusalThrottle.Kind(tenant, "user_sandboxes", "u" + i)))
          .hasValue(0);
    }
    assertThat(throttle.count(new RefusalThrottle.Kind(tenant, "user_sandboxes", "u0")))
        .hasValue(0);
    assertThat(throttle.count(new RefusalThrottle.Kind(tenant, "user_sandboxes", "u0"))).isEmpty();
  }

  /** As many at a time as find a connection: who waits long for one is told of no quota. */
  private static void atOnce(int times, java.util.function.IntConsumer request) {
    try (ExecutorService threads = Executors.newFixedThreadPool(CONNECTIONS)) {
      List<CompletableFuture<Void>> all =
          IntStream.range(0, times)
              .mapToObj(i -> CompletableFuture.runAsync(() -> request.accept(i), threads))
              .toList();
      all.forEach(CompletableFuture::join);
    }
  }
}
