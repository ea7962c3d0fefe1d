package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.FreePort;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** What happened is told once, in order, to whom it concerns. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class EventsTest {

  private static final List<String> LIFE =
      List.of(
          "sandbox.requested",
          "sandbox.provisioning",
          "sandbox.ready",
          "sandbox.active",
          "sandbox.destroying",
          "sandbox.destroyed");

  /** The same address after each start. */
  private final Map<String, String> settings =
      Map.of("SANDBOXER_LISTEN", "127.0.0.1:" + FreePort.find());

  private Platform platform;
  private Api api;

  @BeforeAll
  void start() {
    platform = Platform.start(settings);
    api = platform.api();
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  @Test
  void positionsHaveNoHoleAcrossSandboxesAndAKill() {
    String first = untold("{}"); // the kill may come before its last ones have a position
    platform.kill();
    platform.restart(settings);
    api = platform.api();
    var _ = live("{}");
    awaitPositions(first);
    List<Long> all = new ArrayList<>();
    for (JsonNode event : items(api.get("/v1/events?limit=1000").json())) {
      all.add(event.path("position").asLong());
    }
    assertThat(all).isEqualTo(LongStream.rangeClosed(1, all.size()).boxed().toList());
  }

  @Test
  void theCommandLinePrintsTheLogAndFollowsThroughARestart() throws Exception {
    Path errors = platform.home().resolve("logs/events.log");
    Process following = new Cli(platform).begin(errors, "events", "-f", "--after", "0", "--json");
    List<String> lines = new CopyOnWriteArrayList<>();
    var _ = Thread.ofVirtual().start(() -> following.inputReader().lines().forEach(lines::add));
    String id;
    try {
      String before = live("{}");
      await().atMost(Duration.ofSeconds(60)).until(() -> count(lines, before) == LIFE.size());
      platform.kill();
      platform.restart(settings);
      id = live("{}");
      await().atMost(Duration.ofSeconds(60)).until(() -> count(lines, id) == LIFE.size());
      assertThat(new ProcessBuilder("kill", "-INT", "" + following.pid()).start().waitFor())
          .isZero();
      assertThat(following.waitFor()).isEqualTo(130);
    } finally {
      following.destroyForcibly();
    }
    assertThat(lines).doesNotHaveDuplicates();
    assertThat(positions(lines))
        .isEqualTo(LongStream.rangeClosed(1, lines.size()).boxed().toList());
    assertThat(Files.readString(errors)).containsOnlyOnce("connecting again");
    Cli.Result log = new Cli(platform).run("events", "--sandbox", id);
    assertThat(log.code()).as(log.err()).isZero();
    assertThat(log.out().lines()).hasSize(LIFE.size()).allMatch(line -> line.contains(id));
    assertThat(log.out()).contains("ready").contains("lived ");
    assertThat(new Cli(platform).run("inspect", id).out())
        .containsPattern("\\+[0-9.]+ m?s +ready")
        .containsPattern("destroyed: lived ");
  }

  private static List<Long> positions(List<String> lines) throws IOException {
    List<Long> positions = new ArrayList<>();
    for (String line : lines) {
      positions.add(Api.JSON.readTree(line).path("position").asLong());
    }
    return positions;
  }

  private static long count(List<String> lines, String id) {
    return lines.stream().filter(line -> line.contains(id)).count();
  }

  /** A whole life: made, used, destroyed, and told: whoever listens after that does not hear it. */
  private String live(String work) {
    String id = untold(work);
    awaitPositions(id);
    return id;
  }

  private String untold(String work) {
    String consumer =
        "{\"actor\": \"atm\", \"project\": \"e2e\"" + work.replaceFirst("^\\{(?=.)", ", ");
    consumer = work.equals("{}") ? "{\"actor\": \"atm\", \"project\": \"e2e\"}" : consumer;
    Api.Reply made =
        api.post(
            "/v1/sandboxes",
            "{\"profile\": \"local\", \"consumer\": %s}".formatted(consumer),
            "Prefer",
            "wait=60");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    String id = made.field("/id");
    assertThat(api.access(id).exec("true").status()).isEqualTo(200);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(() -> api.get("/v1/sandboxes/" + id).field("/state").equals("active"));
    assertThat(api.delete("/v1/sandboxes/" + id, "Prefer", "wait=60").status()).isEqualTo(200);
    return id;
  }

  private void awaitPositions(String id) {
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                items(api.get("/v1/sandboxes/" + id + "/events").json()).stream()
                    .noneMatch(event -> event.path("position").isNull()));
  }

  private static List<JsonNode> items(JsonNode page) {
    List<JsonNode> items = new ArrayList<>();
    page.path("items").forEach(items::add);
    return items;
  }
}
