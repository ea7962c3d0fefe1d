package dev.sandboxer.platform.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.installation.Home;
import dev.sandboxer.platform.installation.Installation;
import dev.sandboxer.platform.testing.TestDatabase;
import io.quarkus.test.common.QuarkusTestResource;
import io.quarkus.test.junit.QuarkusTest;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.statement.UnableToExecuteStatementException;
import org.junit.jupiter.api.Test;

@QuarkusTest
@QuarkusTestResource(TestDatabase.class)
class DatabaseTest {

  @Inject Jdbi jdbi;
  @Inject Installation installation;
  @Inject Home home;
  @Inject IdleTransactionLimit limit;

  @Test
  void isMigratedAndKnowsItsInstallation() {
    String stored =
        jdbi.withHandle(h -> h.select("select id from installation").mapTo(String.class).one());
    assertThat(installation.id()).isEqualTo(stored);
    assertThat(installation.sweepsReportOnly()).isFalse();
  }

  @Test
  void boundsStatementsAndIdleTransactions() {
    limit.enforce(); // as once the platform serves
    assertThat(setting("statement_timeout")).isEqualTo("30s");
    assertThat(setting("idle_in_transaction_session_timeout")).isEqualTo("5s");
    assertThat(setting("fsync")).isEqualTo("on");
  }

  @Test
  void aWrongStatementIsNotAnUnavailableDatabase() {
    assertThatThrownBy(() -> jdbi.useHandle(h -> h.execute("select nothing from nowhere")))
        .isInstanceOf(UnableToExecuteStatementException.class)
        .satisfies(e -> assertThat(Unavailability.of(e)).isEmpty());
  }

  @Test
  void aStatementThatWasCutOffByItsTimeIsAnUnavailableDatabase() {
    assertThatThrownBy(
            () ->
                jdbi.useTransaction(
                    h -> {
                      h.execute("set local statement_timeout = '1ms'");
                      h.execute("select pg_sleep(60)");
                    }))
        .satisfies(e -> assertThat(Unavailability.of(e)).contains(Unavailability.AWAY));
  }

  @Test
  void thePoolRecoversFromAKilledServerAndFailsMeanwhileAsUnavailable() throws IOException {
    Path pidFile = home.resolve("data/postmaster.pid");
    String killed = Files.readAllLines(pidFile).getFirst();
    ProcessHandle.of(Long.parseLong(killed)).orElseThrow().destroyForcibly();
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> answers() && !runningInsteadOf(killed, pidFile).isEmpty());
  }

  /** The next server's process id; nothing while its file is not there or not written yet. */
  private static String runningInsteadOf(String killed, Path pidFile) {
    try (Stream<String> lines = Files.lines(pidFile)) {
      return lines.findFirst().filter(pid -> !pid.equals(killed)).orElse("");
    } catch (IOException e) {
      return "";
    }
  }

  private boolean answers() {
    try {
      return !setting("server_version").isEmpty();
    } catch (JdbiException e) {
      assertThat(Unavailability.of(e)).contains(Unavailability.AWAY);
      return false;
    }
  }

  private String setting(String name) {
    return jdbi.withHandle(h -> h.select("show " + name).mapTo(String.class).one());
  }
}
