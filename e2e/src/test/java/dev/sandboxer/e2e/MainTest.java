package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The platform's process: ended in every way, and started again. Each test leaves it running. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MainTest {

  private Platform platform;

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of());
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  @Test
  void servesSaysWhereAndEndsCleanly() throws IOException {
    platform.kill();
    String earlier = platform.log();
    platform.restart(Map.of());
    assertThat(read("url")).matches("http://127\\.0\\.0\\.1:[1-9]\\d+\n");
    assertThat(read("run/platform.pid")).matches(platform.process().pid() + " \\d+\n");
    long postgres = postmaster();
    platform.terminate();
    assertThat(platform.home().resolve("run/platform.pid")).doesNotExist();
    assertThat(platform.home().resolve("url")).doesNotExist();
    assertThat(platform.home().resolve("data/postmaster.pid")).doesNotExist();
    assertThat(runs(postgres)).isFalse();
    for (String line : platform.log().substring(earlier.length()).lines().toList()) {
      JsonNode event = new ObjectMapper().readTree(line);
      assertThat(event.path("at").asText()).isNotEmpty();
      assertThat(event.path("level").asText()).as(line).isIn("INFO", "WARN");
    }
    assertThat(platform.log()).doesNotContain(read("database.password").strip());
    platform.restart(Map.of());
  }

  @Test
  void comesBackAfterKillAsTheSameInstallation() throws IOException {
    String id = read("installation");
    platform.kill();
    platform.restart(Map.of());
    assertThat(read("installation")).isEqualTo(id);
  }

  @Test
  void survivesTheDeathOfItsDatabase() throws IOException {
    long killed = postmaster();
    ProcessHandle.of(killed).orElseThrow().destroyForcibly();
    await()
        .atMost(Duration.ofMinutes(1))
        .ignoreExceptions()
        .until(() -> postmaster() != killed && platform.api().readyStatus() == 200);
    assertThat(platform.log()).contains("ended by itself");
  }

  @Test
  void runsAnOfflineCommandWithoutServing() throws IOException {
    platform.terminate();
    String before = read("admin.key");
    Platform.Ended command = platform.startAgain(Map.of(), "reset-admin");
    assertThat(command.exit()).as(command.log()).isZero();
    assertThat(platform.home().resolve("url")).doesNotExist();
    assertThat(command.log()).doesNotContain("serves");
    assertThat(read("admin.key")).isNotEqualTo(before);
    platform.restart(Map.of());
  }

  @Test
  void takesTheFirstKeyThatItsOperatorHasMade() throws IOException {
    try (Platform other = Platform.join(platform, Map.of())) {
      assertThat(other.key()).isEqualTo(platform.key());
      assertThat(other.api().get("/v1/keys").status()).isEqualTo(200);
    }
    Path home = Prepared.home();
    Files.writeString(home.resolve("admin.key"), "not a key");
    Platform.Ended refused = Platform.refused(home, Map.of());
    assertThat(refused.exit()).isEqualTo(1);
    assertThat(refused.log()).contains("admin.key has no key: it must be sbxk_ and 83");
  }

  @Test
  void anUnknownCommandIsRefusedWithTheOnesThereAre() {
    Platform.Ended command = Platform.refused(Map.of(), "resetadmin");
    assertThat(command.exit()).isEqualTo(1);
    assertThat(command.log()).contains("unknown command 'resetadmin'", "reset-admin");
  }

  @Test
  void usesTheOperatorsDatabaseAndRefusesANewerOne() {
    try (Database database = Database.start()) {
      try (Platform other = Platform.start(database.settings())) {
        assertThat(other.home().resolve("data")).doesNotExist();
      }
      database.sql(
          "insert into flyway_schema_history select 999, '999', 'from the future', type, 'V999__x',"
              + " 1, installed_by, now(), 1, true from flyway_schema_history limit 1");
      Platform.Ended refused = Platform.refused(database.settings());
      assertThat(refused.exit()).isEqualTo(1);
      assertThat(refused.log()).contains("newer release (migration 999 'from the future')");
    }
  }

  private long postmaster() throws IOException {
    return Long.parseLong(
        Files.readAllLines(platform.home().resolve("data/postmaster.pid")).getFirst().strip());
  }

  private String read(String name) throws IOException {
    return Files.readString(platform.home().resolve(name));
  }

  private static boolean runs(long pid) throws IOException {
    Path stat = Path.of("/proc", Long.toString(pid), "stat");
    return Files.exists(stat) && !Files.readString(stat).contains(") Z ");
  }
}
