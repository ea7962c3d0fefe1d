package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.NatsServer;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.EventTypes;
import dev.sandboxer.testing.client.SseListener;
import io.nats.client.Connection;
import io.nats.client.JetStreamApiException;
import io.nats.client.JetStreamManagement;
import io.nats.client.Nats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/**
 * The shipped sinks and a broken one on one platform that keeps events for two seconds. In an
 * order: each case leaves the platform as the next one wants it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class SinksTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Map<String, String> SHORT = Map.of("SANDBOXER_EVENT_RETENTION", "2s");
  @TempDir private static Path folder;

  private NatsServer nats;
  private Platform platform;
  private String first = "";

  @BeforeAll
  void start() throws IOException {
    nats = new NatsServer(Files.createDirectory(folder.resolve("nats")));
    platform = Platform.start(Map.of());
    platform.process().destroy();
    await().atMost(PATIENCE).until(() -> !platform.process().isAlive());
    Path sinks =
        Files.createDirectory(
            platform.home().resolve("sinks"),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
    write(
        sinks.resolve("journal.yaml"),
        "kind: file\nconfig: {path: %s}\n".formatted(folder.resolve("events.jsonl")));
    write(
        sinks.resolve("bus.yaml"),
        """
        kind: nats
        types: [sandbox.ready, sandbox.destroyed]
        config: {url: %s, create_stream: true}
        """
            .formatted(nats.url()));
    write(sinks.resolve("unknown.yaml"), "kind: carrier-pigeon\n");
    write(sinks.resolve("wrong.yaml"), "kind: file\nconfig: {path: here}\n");
    write(sinks.resolve("odd.yaml"), "kind: file\nconfg: {}\n");
    write(sinks.resolve("typo.yaml"), "kind: file\ntypes: [sandbox.reday]\n");
    write(sinks.resolve("state-hub.yaml"), "kind: file\n");
    Path broken = Files.createDirectory(sinks.resolve("broken"));
    Files.setPosixFilePermissions(broken, PosixFilePermissions.fromString("rwx------"));
    write(broken.resolve("broken.jar"), "no jar");
    platform.restart(Map.of());
  }

  private static void write(Path file, String text) throws IOException {
    Files.writeString(file, text);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
  }

  @AfterAll
  void stop() {
    platform.close();
    nats.close();
  }

  @Test
  @Order(1)
  void aLifeArrivesInTheFileAndAtTheServer() {
    first = live();
    await().atMost(PATIENCE).until(() -> types(first).size() >= EventTypes.LIFE.size());
    assertThat(types(first)).isEqualTo(EventTypes.LIFE);
    JsonNode stored = platform.api().get("/v1/sandboxes/" + first + "/events").json();
    for (String sink : List.of("bus", "journal")) { // has the event before it is noted
      await().atMost(PATIENCE).until(() -> sink(sink).path("lag").asInt() == 0);
    }
    assertThat(lines(first).get(2).path("id")).isEqualTo(stored.at("/items/2/id"));
    assertThat(lines(first).get(2).path("detail")).isEqualTo(stored.at("/items/2/detail"));
    assertThat(subjects("SANDBOXER"))
        .allSatisfy(subject -> assertThat(subject).startsWith("sandboxer.events.ten_"))
        .extracting(subject -> subject.replaceFirst(".*\\.sandbox", "sandbox"))
        .containsExactly("sandbox.ready", "sandbox.destroyed");
  }

  @Test
  @Order(2)
  void whatDoesNotLoadIsToldAndDisturbsNothing() {
    assertThat(sink("journal").path("state").asText()).isEqualTo("active");
    assertThat(reason("broken")).contains("broken.jar is no jar");
    assertThat(reason("unknown")).contains("'carrier-pigeon'", "[file, nats]");
    assertThat(reason("wrong")).contains("config.path 'here' must be an absolute path");
    assertThat(reason("odd")).contains("did you mean 'config'?");
    assertThat(reason("typo")).contains("did you mean 'sandbox.ready'?");
    assertThat(reason("state-hub")).contains("is taken");
    JsonNode ready = platform.api().get("/v1/health/ready").json();
    assertThat(ready.path("status").asText()).isEqualTo("up");
    assertThat(check(ready, "sink broken").path("ok").asBoolean()).isFalse();
    assertThat(check(ready, "sink journal").path("ok").asBoolean()).isTrue();
    assertThat(check(ready, "sink journal").path("detail").asText())
        .isEqualTo("active, 0 events behind, 0.0 s");
  }

  @Test
  @Order(3)
  void lagAndFailuresAreFiguresAndToldByHealth() throws InterruptedException {
    nats.kill();
    String id = live();
    await().atMost(PATIENCE).until(() -> types(id).equals(EventTypes.LIFE));
    await().atMost(PATIENCE).until(() -> figure("failures", "bus") > 0);
    assertThat(figure("lag_events", "bus")).isPositive();
    await().atMost(PATIENCE).until(() -> figure("lag_seconds", "bus") > 0);
    await().atMost(PATIENCE).until(() -> figure("lag_events", "journal") == 0);
    assertThat(figure("parked_subjects", "journal")).isZero();
    JsonNode told = check(platform.api().get("/v1/health/ready").json(), "sink bus");
    assertThat(told.path("ok").asBoolean()).isFalse();
    assertThat(told.path("detail").asText()).contains("events behind", "NATS at", "is away");
  }

  @Test
  @Order(4)
  void aKillTearsNoLineAndLosesNothing() {
    List<String> ids = new ArrayList<>();
    for (int round = 0; round < 2; round++) {
      ids.add(live());
      platform.kill();
      platform.restart(Map.of());
    }
    ids.add(live());
    for (String id : ids) {
      await().atMost(PATIENCE).until(() -> types(id).containsAll(EventTypes.LIFE));
      assertThat(types(id).stream().distinct()).containsExactlyElementsOf(EventTypes.LIFE);
    }
  }

  @Test
  @Order(5)
  void whatIsOldGoesWhatASinkStillWantsStaysAndAGapIsTold() throws Exception {
    platform.kill();
    platform.restart(SHORT);
    Api api = platform.api();
    await().atMost(PATIENCE).until(() -> api.get("/v1/events?cursor=0").json().has("gap"));
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/sandboxes/" + first + "/events").json().at("/items").isEmpty());
    JsonNode history = api.get("/v1/sandboxes/" + first + "/events").json();
    assertThat(history.at("/gap/from").asLong()).isEqualTo(1);
    assertThat(history.at("/gap/to").asLong()).isEqualTo(EventTypes.LIFE.size());

    int wanted = 4 * 3; // of four lives, from ready to destroyed
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/events?limit=1000").json().path("items").size() == wanted);
    long forgotten = api.get("/v1/events?cursor=0").json().at("/gap/to").asLong();
    try (SseListener late = SseListener.open(api, "/v1/events/stream", "2")) {
      SseListener.Message gap = late.await(1, PATIENCE).getFirst();
      assertThat(gap.event()).isEqualTo("gap");
      JsonNode said = Api.JSON.readTree(gap.data());
      assertThat(said.path("from").asLong()).isEqualTo(3);
      assertThat(said.path("to").asLong()).isGreaterThanOrEqualTo(forgotten);
      assertThat(gap.id()).isEqualTo(said.path("to").asText());
    }
    Cli.Result told = new Cli(platform).run("events", "--after", "0");
    assertThat(told.err()).contains("gap: events 1 to ");

    nats.comeBack();
    await().atMost(PATIENCE).until(() -> sink("bus").path("lag").asInt() == 0);
    assertThat(subjects("SANDBOXER")).hasSize(2 * (2 + 3));
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/events?limit=1000").json().path("items").isEmpty());
  }

  private JsonNode sink(String id) {
    for (JsonNode sink : platform.api().get("/v1/sinks").json().path("items")) {
      if (sink.path("id").asText().equals(id)) {
        return sink;
      }
    }
    throw new AssertionError("there is no sink " + id);
  }

  private String reason(String id) {
    assertThat(sink(id).path("state").asText()).isEqualTo("failed");
    return sink(id).path("last_error").asText();
  }

  private static JsonNode check(JsonNode ready, String name) {
    for (JsonNode check : ready.path("checks")) {
      if (check.path("name").asText().equals(name)) {
        return check;
      }
    }
    throw new AssertionError(name + " is not in " + ready);
  }

  /** A figure of a sink, -1 while there is none. */
  private double figure(String name, String id) {
    Matcher found =
        Pattern.compile(
                "^sandboxer_sink_%s\\{sink=\"%s\"\\} (\\S+)$".formatted(name, id),
                Pattern.MULTILINE)
            .matcher(platform.api().get("/v1/metrics").text());
    return found.find() ? Double.parseDouble(found.group(1)) : -1;
  }

  private String live() {
    Api.Reply made =
        platform
            .api()
            .post(
                "/v1/sandboxes",
                "{\"profile\": \"local\", \"consumer\": {\"actor\": \"atm\", \"project\": \"e2e\"}}",
                "Prefer",
                "wait=60");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    String id = made.field("/id");
    assertThat(platform.api().delete("/v1/sandboxes/" + id, "Prefer", "wait=30").status())
        .isEqualTo(200);
    return id;
  }

  /** What the file says of a sandbox; a line that is no JSON fails, once it has its end. */
  private List<JsonNode> lines(String id) {
    List<JsonNode> found = new ArrayList<>();
    try {
      byte[] bytes = Files.readAllBytes(folder.resolve("events.jsonl"));
      String text = new String(bytes, StandardCharsets.UTF_8);
      for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
        JsonNode event = Api.JSON.readTree(line);
        if (event.at("/subject/sandbox_id").asText().equals(id)) {
          found.add(event);
        }
      }
    } catch (java.nio.file.NoSuchFileException e) {
      return List.of();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return found;
  }

  private List<String> types(String id) {
    return lines(id).stream().map(event -> event.path("type").asText()).toList();
  }

  /** The subjects of the messages that a stream keeps, in order. */
  @SuppressWarnings("try") // a close that is interrupted ends the test
  private List<String> subjects(String stream) {
    try (Connection connection = Nats.connect(nats.url())) {
      JetStreamManagement streams = connection.jetStreamManagement();
      long last = streams.getStreamInfo(stream).getStreamState().getLastSequence();
      List<String> subjects = new ArrayList<>();
      for (long n = 1; n <= last; n++) {
        subjects.add(streams.getMessage(stream, n).getSubject());
      }
      return subjects;
    } catch (IOException | JetStreamApiException | InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }
}
