package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Two tenants at the command line. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TenantsTest {

  private static final String SANDBOXES = "/v1/sandboxes";
  private static final String WAITING =
      "select count(*) from pg_stat_activity where wait_event_type = 'Lock'";

  private Platform platform;
  private Door admin;
  private Api other;
  private String ours = "";
  private String theirs = "";

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of());
    admin = new Door(platform.api());
    other = admin.ofNewTenant("others").api();
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  @BeforeEach
  void oneSandboxEach() {
    platform.api().destroyAllOfAllTenants();
    ours = admin.api().ready().path("id").asText();
    theirs = other.ready().path("id").asText();
  }

  private static Set<String> listed(Api api, String query) {
    Api.Reply reply = api.get(SANDBOXES + "?live=true" + query);
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    Set<String> ids = new TreeSet<>();
    reply.json().path("items").forEach(item -> ids.add(item.path("id").asText()));
    return ids;
  }

  private String state(String id) {
    return admin.api().get(SANDBOXES + "/" + id).field("/state");
  }

  @Test
  void theCommandLineTakesAllTenantsWhereItIsTold() {
    Cli cli = new Cli(platform);
    assertThat(cli.run("ls", "--quiet").out()).isEqualTo(ours + "\n");
    Cli.Result all = cli.run("ls", "--all-tenants");
    assertThat(all.out()).contains(ours, theirs, "TENANT", "ten_");
    assertThat(cli.run("rm", "--all").out()).isEqualTo(ours + " destroyed\n");
    assertThat(state(theirs)).isEqualTo("ready");
    assertThat(cli.run("rm", "--all", "--all-tenants").out()).isEqualTo(theirs + " destroyed\n");
    assertThat(listed(admin.api(), "&tenant=*")).isEmpty();
  }

  @Test
  void theEndOfThePlatformWithAllSandboxesIsAboutEveryTenants() throws Exception {
    Path printed = platform.home().resolve("logs/down.log");
    String script = Guide.CHECKOUT.resolve("sandboxer").toString();
    Process down = new Cli(platform).start(List.of(script, "down", "--destroy-all"), printed);
    assertThat(down.waitFor()).as(Files.readString(printed)).isZero();
    assertThat(printed)
        .content()
        .contains(ours + " destroyed", theirs + " destroyed", "ended; no sandbox is left");
    platform.restart(Map.of());
    admin = new Door(platform.api());
    other = admin.api().withKey(other.key());
    assertThat(listed(admin.api(), "&tenant=*")).isEmpty();
  }

  /**
   * Their creates wait for each other at the tenant's row, and hold no connections while they do.
   */
  @Test
  void aFloodOfOneTenantsCreatesLeavesTheDatabaseToOthers() throws Exception {
    try (Connection database = database();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      database.setAutoCommit(false);
      String ourTenant =
          """
          select 1 from tenant where id = (select tenant_id from sandbox where id = '%s')
          for no key update
          """
              .formatted(ours.substring("sb_".length()));
      assertThat(number(database, ourTenant)).isOne();
      List<Future<JsonNode>> creates = new ArrayList<>();
      for (int i = 0; i < 40; i++) {
        creates.add(threads.submit(() -> admin.api().ready()));
      }
      await().atMost(Duration.ofMinutes(1)).until(() -> number(database, WAITING) > 0);
      for (int i = 0; i < 20; i++) {
        assertThat(listed(other, "")).containsExactly(theirs);
      }
      assertThat(other.ready().path("state").asText()).isEqualTo("ready");
      database.commit();
      for (Future<JsonNode> create : creates) {
        assertThat(create.get().path("state").asText()).isEqualTo("ready");
      }
    }
  }

  private Connection database() throws IOException, SQLException {
    Path home = platform.home();
    String port = Files.readAllLines(home.resolve("data/postmaster.pid")).get(3).strip();
    return DriverManager.getConnection(
        "jdbc:postgresql://127.0.0.1:" + port + "/postgres?sslmode=disable",
        "sandboxer",
        Files.readString(home.resolve("database.password")).strip());
  }

  private static int number(Connection database, String query) throws SQLException {
    try (Statement statement = database.createStatement();
        ResultSet row = statement.executeQuery(query)) {
      return row.next() ? row.getInt(1) : 0;
    }
  }
}
