package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** Who waits for an image is told so, and why it does not come. */
@EnabledIfEnvironmentVariable(named = "SANDBOXER_DOCKER_HOST", matches = ".+")
class ImagePullTest {

  private static final String IMAGE = "127.0.0.1:1/none/such:7";
  private static final String PROFILE =
      """
      id: profile.unfetched
      version: 1
      extension: ext.docker
      image: 127.0.0.1:1/none/such:7
      """;

  @Test
  void aFetchIsAnEvent() throws IOException {
    Engine engine = Backends.docker().orElseThrow();
    Map<String, String> settings = Map.of("SANDBOXER_DOCKER_HOST", engine.host());
    try (Platform platform = Platform.start(settings)) {
      Path profiles = Files.createDirectories(platform.home().resolve("profiles"));
      Files.writeString(profiles.resolve("unfetched.yaml"), PROFILE);
      platform.kill();
      platform.restart(settings);
      Api api = platform.api();
      String id = api.post("/v1/sandboxes", Api.create("unfetched")).field("/id");
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> api.get("/v1/sandboxes/" + id).field("/state").equals("failed"));
      assertThat(api.get("/v1/sandboxes/" + id).text()).contains("IMAGE_PULL", IMAGE);
      JsonNode events = api.get("/v1/sandboxes/" + id + "/events").json().path("items");
      List<String> types = new ArrayList<>();
      events.forEach(event -> types.add(event.path("type").asText()));
      assertThat(types).containsSubsequence("sandbox.image_pull", "sandbox.failed");
      assertThat(events.toString()).contains("\"image\":\"" + IMAGE + "\"");
    }
  }

  /** The shipped extension is configured from the home. */
  @Test
  void anOperatorMayForbidIt() throws IOException {
    Engine engine = Backends.docker().orElseThrow();
    Map<String, String> settings = Map.of("SANDBOXER_DOCKER_HOST", engine.host());
    try (Platform platform = Platform.start(settings)) {
      Path home = platform.home();
      Path own = Files.createDirectories(home.resolve("extensions/docker"));
      Files.writeString(own.resolve("extension.yaml"), "config: {pull: never}\n");
      Files.writeString(
          Files.createDirectories(home.resolve("profiles")).resolve("unfetched.yaml"), PROFILE);
      platform.kill();
      platform.restart(settings);
      Api api = platform.api();
      String id = api.post("/v1/sandboxes", Api.create("unfetched")).field("/id");
      await()
          .atMost(Duration.ofMinutes(1))
          .until(() -> api.get("/v1/sandboxes/" + id).field("/state").equals("failed"));
      assertThat(api.get("/v1/sandboxes/" + id).text())
          .contains("IMAGE_PULL", "config.pull of ext.docker is never");
      assertThat(api.get("/v1/sandboxes/" + id + "/events").text())
          .doesNotContain("sandbox.image_pull");
    }
  }
}
