package dev.sandboxer.platform.audit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.event.AtRest;
import dev.sandboxer.platform.testing.TestDatabase;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What the database refuses holds up nothing; what it cannot take now is kept. */
@QuarkusTest
@QuarkusTestResource(TestDatabase.class)
@TestProfile(AtRest.class)
class AuditLogTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  @Inject Jdbi jdbi;
  @Inject DataSource source;

  private final AtomicInteger tries = new AtomicInteger();
  private AuditLog log;

  @BeforeEach
  void begin() {
    tries.set(0);
    log =
        new AuditLog(
            Jdbi.create(
                () -> {
                  tries.incrementAndGet();
                  return source.getConnection();
                }));
  }

  @AfterEach
  void end() {
    log.stop();
  }

  private void record(String... ids) {
    for (String id : ids) {
      log.record(
          new AuditEntry(
              0, Instant.now(), id, null, null, null, null, null, null, null, "try", "ok", null));
    }
  }

  private void sql(String sql) {
    jdbi.useHandle(open -> open.execute(sql));
  }

  private List<String> written(String prefix) {
    return jdbi.withHandle(
        open ->
            open.createQuery(
                    "select request_id from audit where starts_with(request_id, :prefix)"
                        + " order by id")
                .bind("prefix", prefix)
                .mapTo(String.class)
                .list());
  }

  @Test
  void aRowThatTheDatabaseRefusesIsDroppedAndHoldsUpNoOther() {
    sql("alter table audit add constraint refused check (request_id not like 'row-bad%')");
    try {
      record("row-1", "row-bad-1", "row-2", "row-bad-2", "row-3");
      log.start();
      await().atMost(PATIENCE).until(() -> written("row-").contains("row-3"));
      record("row-4");
      await().atMost(PATIENCE).until(() -> written("row-").contains("row-4"));
    } finally {
      sql("alter table audit drop constraint refused");
    }
    assertThat(written("row-")).containsExactly("row-1", "row-2", "row-3", "row-4");
  }

  @Test
  void whatTheDatabaseCanNotTakeNowIsKeptAndWrittenOnce() {
    sql("alter table audit rename to audit_away");
    try {
      record("kept-1", "kept-2");
      log.start();
      await().atMost(PATIENCE).until(() -> tries.get() > 1);
    } finally {
      sql("alter table audit_away rename to audit");
    }
    record("kept-3");
    await().atMost(PATIENCE).until(() -> written("kept-").contains("kept-3"));
    assertThat(written("kept-")).containsExactly("kept-1", "kept-2", "kept-3");
  }
}
