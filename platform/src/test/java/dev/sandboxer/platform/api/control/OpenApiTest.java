package dev.sandboxer.platform.api.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** The document describes every route, with examples and errors. */
@QuarkusTest
@TestProfile(InProcess.class)
class OpenApiTest {

  @Test
  void everyOperationHasExamplesAndErrors() {
    JsonNode document = InProcess.api().get("/v1/openapi?format=json").json();
    Set<String> operations = new TreeSet<>();
    for (Map.Entry<String, JsonNode> path : document.path("paths").properties()) {
      for (Map.Entry<String, JsonNode> method : path.getValue().properties()) {
        if (!method.getKey().equals("parameters")) {
          operations.add(method.getKey() + " " + path.getKey());
          check(method.getKey() + " " + path.getKey(), method.getValue());
        }
      }
    }
    assertThat(operations)
        .contains(
            "post /v1/sandboxes",
            "get /v1/sandboxes/{id}/access",
            "post /v1/keys",
            "get /v1/extensions",
            "post /dp/{id}/v1/exec",
            "get /.well-known/jwks.json",
            "get /v1/metrics");
    assertThat(document.path("components").path("schemas").has("Problem")).isTrue();
    checkNames(document.path("components").path("schemas"));
  }

  private static void checkNames(JsonNode schemas) {
    for (Map.Entry<String, JsonNode> schema : schemas.properties()) {
      for (Map.Entry<String, JsonNode> field : schema.getValue().path("properties").properties()) {
        assertThat(field.getKey()).as(schema.getKey()).matches("[a-z][a-z0-9_]*");
      }
    }
  }

  private static boolean hasFields(JsonNode schema) {
    return schema.has("$ref") || schema.has("properties");
  }

  private static boolean isNothing(JsonNode media) {
    return media.path("example").isObject() && media.path("example").isEmpty();
  }

  private static boolean isBytes(JsonNode media) {
    return media.path("schema").path("type").asText().equals("string");
  }

  private static void check(String name, JsonNode operation) {
    assertThat(operation.path("summary").asText()).as(name).isNotBlank();
    assertThat(operation.path("responses").path("default").toString())
        .as(name)
        .contains("#/components/schemas/Problem");
    for (JsonNode media : operation.path("requestBody").path("content")) {
      assertThat(media.has("example") || media.has("examples")).as("body of " + name).isTrue();
      assertThat(hasFields(media.path("schema")) || isNothing(media) || isBytes(media))
          .as("the fields of the body of " + name)
          .isTrue();
    }
    for (Map.Entry<String, JsonNode> response : operation.path("responses").properties()) {
      if (!response.getKey().equals("default")) {
        for (JsonNode media : response.getValue().path("content")) {
          assertThat(media.has("example") || media.has("examples")).as("reply of " + name).isTrue();
        }
      }
    }
  }
}
