package dev.sandboxer.e2e;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What the pages tell people to type works as pasted, in order, on a running platform, and prints
 * what they say. The pages share one platform, one after the other.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DocsTest {

  private Platform platform;

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of());
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  @ParameterizedTest
  @MethodSource("pages")
  void everyCommandWorksAsPasted(String page, @TempDir Path folder)
      throws IOException, InterruptedException {
    try (PageReader reader = new PageReader(folder, platform)) {
      reader.follow(page);
    }
  }

  static List<String> pages() {
    return Pages.onARunningPlatform();
  }

  /** The next page finds nothing of what this one made. */
  @AfterEach
  void tidy() throws IOException {
    Api api = platform.api();
    api.destroyAll();
    deleteAll(api, "/v1/boxes");
    deleteAll(api, "/v1/pipelines");
    deleteAll(api, "/v1/webhooks");
    for (JsonNode volume : api.get("/v1/volumes?limit=1000").json().path("items")) {
      var _ = api.delete("/v1/volumes/" + volume.path("name").asText());
    }
    deleteAll(api, "/v1/keys");
    try (DirectoryStream<Path> profiles =
        Files.newDirectoryStream(platform.home().resolve("profiles"), "*.yaml")) {
      for (Path profile : profiles) {
        Files.delete(profile);
      }
    }
  }

  /** All but the key that asks. */
  private static void deleteAll(Api api, String list) {
    for (JsonNode item : api.get(list + "?limit=1000").json().path("items")) {
      if (!item.path("name").asText().equals("admin")) {
        var _ = api.delete(list + "/" + item.path("id").asText());
      }
    }
  }
}
