package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The example that a refused call gets is the one of the OpenAPI document, and the platform takes
 * it.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ExamplesTest {

  private Platform platform;
  private Api api;
  private JsonNode document;
  private String id;

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of());
    api = platform.api();
    document = api.get("/v1/openapi?format=json").json();
    id = api.ready().path("id").asText();
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  @ParameterizedTest
  @CsvSource({
    "/v1/sandboxes, 202",
    "/v1/sandboxes/{id}/extend-ttl, 200",
    "/v1/tenants, 201",
    "/v1/keys, 201",
  })
  void theExampleOfARefusalIsTheDocumentsAndWorks(String path, int status) {
    Api.Reply refused = api.post(path.replace("{id}", id), "{\"no-such-field\": 1}");
    assertThat(refused.status()).as(refused.text()).isEqualTo(400);
    JsonNode example = refused.json().path("example");
    assertThat(example).as(refused.text()).isNotEmpty().isEqualTo(documented(path));
    Api.Reply taken = api.post(path.replace("{id}", id), example.toString());
    assertThat(taken.status()).as(taken.text()).isEqualTo(status);
  }

  private JsonNode documented(String path) {
    JsonNode media =
        document
            .path("paths")
            .path(path)
            .path("post")
            .path("requestBody")
            .path("content")
            .path("application/json");
    return media.path("examples").elements().next().path("value");
  }
}
