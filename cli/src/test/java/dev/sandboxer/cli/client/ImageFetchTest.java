package dev.sandboxer.cli.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.Failure;
import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import dev.sandboxer.dataplane.http.HttpClients;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whoever waits for an image is told so, and is not sent away while it comes. */
class ImageFetchTest {
  private static final String POST = "POST /v1/sandboxes";
  private static final String GET = "GET /v1/sandboxes/" + StandIn.ID;
  private static final String TOLD = "fetching image python:3\\u001b\n";

  private StandIn platform;

  @BeforeEach
  void start() throws IOException {
    platform = new StandIn();
  }

  @AfterEach
  void stop() throws IOException {
    platform.close();
  }

  @ParameterizedTest
  @ValueSource(strings = {"run -- true", "create", "profile test x"})
  void theFetchIsToldOnceAndNotWithJson(String verb) {
    fetchingFor(2);
    CommandLineRun told = CommandLineRun.against(platform);
    assertThat(told.run(verb.split(" "))).as(told.err()).isZero();
    assertThat(told.err()).containsOnlyOnce(TOLD);
    fetchingFor(1);
    CommandLineRun json = CommandLineRun.against(platform);
    assertThat(json.run(verb.replaceFirst("run|create|test", "$0 --json").split(" "))).isZero();
    assertThat(json.err()).doesNotContain("fetching");
  }

  @Test
  void quietIsQuiet() {
    fetchingFor(1);
    CommandLineRun quiet = CommandLineRun.against(platform);
    assertThat(quiet.run("run", "-q", "--", "true")).isZero();
    assertThat(quiet.err()).startsWith("nsjail, ready in");
  }

  @Test
  void theLimitDoesNotCountWhileAnImageIsFetched() throws InterruptedException {
    fetchingFor(3);
    List<String> told = new ArrayList<>();
    try (HttpClients http = new HttpClients()) {
      assertThat(sandboxes(http).create(body(), Duration.ZERO, id -> {}, told::add).path("state"))
          .hasToString("\"ready\"");
    }
    assertThat(told).containsExactly("fetching image python:3\u001b");
  }

  @Test
  void theLimitCountsWhenTheImageIsThere() {
    platform.state("provisioning");
    events("started", "done");
    try (HttpClients http = new HttpClients()) {
      assertThatThrownBy(() -> sandboxes(http).create(body(), Duration.ZERO, id -> {}, line -> {}))
          .isInstanceOf(Failure.class)
          .hasMessageContaining("was not ready within");
    }
  }

  /** So many times it is asked for and still not there; the next time it is ready. */
  private void fetchingFor(int times) {
    platform.state("ready");
    JsonObject starting = new JsonObject().put("id", StandIn.ID).put("state", "provisioning");
    platform.next(POST, StandIn.text(202, starting.encode()));
    events("started");
    for (int i = 1; i < times; i++) {
      platform.next(GET, StandIn.text(200, starting.encode()));
      events("started");
    }
  }

  private void events(String... states) {
    List<JsonObject> items =
        Stream.of(states)
            .map(state -> new JsonObject().put("image", "python:3\u001b").put("status", state))
            .map(detail -> new JsonObject().put("type", "sandbox.image_pull").put("detail", detail))
            .toList();
    JsonObject page = new JsonObject().put("items", new JsonArray(items)).put("next_cursor", null);
    platform.next(GET + "/events", StandIn.text(200, page.encode()));
  }

  private Sandboxes sandboxes(HttpClients http) {
    Map<String, String> environment =
        Map.of(
            "HOME", "/nonexistent", "SANDBOXER_URL", platform.url(), "SANDBOXER_KEY", StandIn.KEY);
    return new Sandboxes(Api.of(http, new ObjectMapper(), Endpoint.find(environment)));
  }

  private static JsonNode body() {
    return new ObjectMapper().createObjectNode().put("profile", "x");
  }
}
