package dev.sandboxer.platform.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.sandboxer.platform.database.Transactions;
import dev.sandboxer.platform.database.Unavailability;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.testing.InProcess;
import io.quarkus.arc.Arc;
import io.quarkus.arc.ManagedContext;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.enterprise.context.control.ActivateRequestContext;
import jakarta.inject.Inject;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.junit.jupiter.api.Test;

/** One transaction for entities and SQL, and reads without one. */
@QuarkusTest
@TestProfile(InProcess.class)
class EntitiesAndSqlTest {

  private static final String LIMIT = "update tenant set max_live = 3 where name = ?";

  @Inject Transactions transactions;
  @Inject Tenants tenants;
  @Inject Jdbi jdbi;

  private Optional<Integer> limit(String name) {
    return jdbi.withHandle(
        open ->
            open.select("select coalesce(max_live, 0) from tenant where name = ?", name)
                .mapTo(Integer.class)
                .findOne());
  }

  private Tenant made(Handle open, String name) {
    Tenant tenant = tenants.make(name);
    assertThat(open.execute(LIMIT, name)).as("the same connection").isEqualTo(1);
    assertThat(CompletableFuture.supplyAsync(() -> limit(name)).join()).as("of others").isEmpty();
    return tenant;
  }

  @Test
  void theyAreCommittedTogether() {
    Tenant made = transactions.inTransaction(open -> made(open, "committed"));
    assertThat(limit("committed")).contains(3);
    assertThat(tenants.find(made.id())).contains(made);
  }

  @Test
  void theyAreRolledBackTogether() {
    IllegalStateException cause = new IllegalStateException("the work failed");
    assertThatThrownBy(
            () ->
                transactions.useTransaction(
                    open -> {
                      var _ = made(open, "undone");
                      throw cause;
                    }))
        .isSameAs(cause);
    assertThat(limit("undone")).isEmpty();
    assertThat(tenants.byName("undone")).isEmpty();
  }

  @Test
  void aStatementThatFailsUndoesTheEntity() {
    assertThatThrownBy(
            () ->
                transactions.useTransaction(
                    open -> {
                      var _ = made(open, "failed");
                      open.execute("update tenant set max_live = -1 where name = 'failed'");
                    }))
        .isInstanceOf(UnableToExecuteStatementException.class);
    assertThat(limit("failed")).isEmpty();
  }

  @Test
  void aNameThatIsTakenUndoesTheStatement() {
    var _ = transactions.inTransaction(_ -> tenants.make("taken"));
    assertThatThrownBy(
            () ->
                transactions.useTransaction(
                    open -> {
                      open.execute(LIMIT, "taken");
                      var _ = tenants.make("taken");
                    }))
        .isInstanceOf(ProblemException.class)
        .hasMessageContaining("tenant 'taken' exists already");
    assertThat(limit("taken")).contains(0);
  }

  @Test
  void whatWaitsForTheEndIsRunAndMayUseTheDatabase() {
    List<String> run = new ArrayList<>();
    transactions.useTransaction(
        open -> {
          var _ = made(open, "waited");
          open.afterCommit(() -> run.add("committed, limit " + limit("waited").orElseThrow()));
          open.afterRollback(() -> run.add("rolled back"));
        });
    assertThat(run).containsExactly("committed, limit 3");
    assertThatThrownBy(
            () ->
                transactions.useTransaction(
                    open -> {
                      open.afterCommit(() -> run.add("committed"));
                      open.afterRollback(
                          () -> open.useTransaction(own -> own.execute(LIMIT, "again")));
                      open.execute("select nothing from nowhere");
                    }))
        .isInstanceOf(UnableToExecuteStatementException.class);
    assertThat(run).hasSize(1);
  }

  private void terminate(int process) {
    CompletableFuture.runAsync(
            () ->
                jdbi.useHandle(
                    other -> other.execute("select pg_terminate_backend(?, 5000)", process)))
        .join();
  }

  @Test
  void aDatabaseThatIsLostBeforeTheCommitIsUnavailable() {
    assertThatThrownBy(
            () ->
                transactions.useTransaction(
                    open -> {
                      var _ = made(open, "lost");
                      int process =
                          open.select("select pg_backend_pid()").mapTo(Integer.class).one();
                      terminate(process);
                    }))
        .satisfies(e -> assertThat(Unavailability.of(e)).contains(Unavailability.AWAY));
    assertThat(limit("lost")).isEmpty();
    var _ = transactions.inTransaction(open -> made(open, "found"));
    assertThat(limit("found")).contains(3);
  }

  @Test
  @ActivateRequestContext
  void aReadFindsWhatIsThereNowAlsoWithinOneRequest() {
    String id = transactions.inTransaction(_ -> tenants.make("renamed")).id();
    assertThat(tenants.find(id)).map(Tenant::name).contains("renamed");
    jdbi.useHandle(open -> open.execute("update tenant set name = 'other' where id = ?", id));
    assertThat(tenants.find(id)).map(Tenant::name).contains("other");
  }

  @Test
  void moreThreadsThanConnectionsWaitInLine() throws Exception {
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Boolean>> all = new ArrayList<>();
      for (int i = 0; i < 150; i++) {
        String name = "line-" + i;
        all.add(
            threads.submit(
                () -> {
                  Tenant tenant =
                      transactions.inTransaction(
                          open -> {
                            Tenant made = tenants.make(name);
                            open.execute(LIMIT, name);
                            return limit(name).isPresent()
                                ? tenants.find(made.id()).orElseThrow()
                                : made;
                          });
                  return tenants.byName(name).equals(Optional.of(tenant))
                      && limit(name).equals(Optional.of(3));
                }));
      }
      for (Future<Boolean> one : all) {
        assertThat(one.get()).isTrue();
      }
    }
  }

  @Test
  void aRequestKeepsNoConnectionAfterItsRead() throws Exception {
    int requests = 40;
    CountDownLatch haveRead = new CountDownLatch(requests);
    try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Boolean>> all = new ArrayList<>();
      for (int i = 0; i < requests; i++) {
        all.add(threads.submit(() -> readAndStay(haveRead)));
      }
      for (Future<Boolean> one : all) {
        assertThat(one.get()).isTrue();
      }
    }
  }

  private boolean readAndStay(CountDownLatch haveRead) throws InterruptedException {
    ManagedContext request = Arc.container().requestContext();
    request.activate();
    try {
      var _ = tenants.byName("nobody");
      haveRead.countDown();
      return haveRead.await(1, TimeUnit.MINUTES);
    } finally {
      request.terminate();
    }
  }
}
