package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Two tenants at the command line. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class TenantsTest {

  private static final String SANDBOXES = "/v1/sandboxes";

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
}
