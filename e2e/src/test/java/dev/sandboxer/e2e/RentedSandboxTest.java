package dev.sandboxer.e2e;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.E2bServer;
import dev.sandboxer.testing.client.Api;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Sandboxes of an account with a counterpart of E2B: used, paid for, and never forgotten. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RentedSandboxTest {

  private static final Duration PATIENCE = Duration.ofSeconds(100);

  private RentingPlatform renting;
  private E2bServer server;
  private Platform platform;

  @BeforeAll
  void start() {
    renting = new RentingPlatform(Map.of(), 10);
    server = renting.server();
    platform = renting.platform();
  }

  @AfterEach
  void nothingIsPaidForAnyMore() {
    platform.api().destroyAllOfAllTenants();
    await().atMost(PATIENCE).untilAsserted(() -> assertThat(server.sandboxes()).isEmpty());
  }

  @AfterAll
  void stop() {
    renting.close();
  }

  private JsonNode ready(String profile) {
    return platform.api().ready(profile);
  }

  private void delete(String id) {
    Api.Reply gone = platform.api().delete("/v1/sandboxes/" + id, "Prefer", "wait=60");
    assertThat(gone.field("/state")).as(gone.text()).isEqualTo("destroyed");
  }

  @Test
  void itIsUsedLikeAnyOtherAndItsEndIsMoved() {
    JsonNode sandbox = ready("rented");
    String id = sandbox.path("id").asText();
    assertThat(sandbox.path("host").asText()).isEqualTo("rented");
    Api.Dataplane inside = platform.api().access(id);
    assertThat(inside.exec("sh", "-c", "echo $((6*7)); pwd; id -un").field("/stdout"))
        .isEqualTo("42\n/workspace\nuser\n");
    assertThat(inside.upload("file.txt", "of mine".getBytes(UTF_8)).status()).isBetween(200, 204);
    assertThat(inside.exec("cat", "/workspace/file.txt").field("/stdout")).isEqualTo("of mine");
    assertThat(inside.download("file.txt").text()).isEqualTo("of mine");
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                Instant.parse(server.sandboxes().path(0).path("endAt").asText())
                    .isAfter(Instant.now().plusSeconds(600)));
    delete(id);
    assertThat(server.sandboxes()).isEmpty();
    assertThat(server.state().path("killed").asInt()).isPositive();
  }

  @Test
  void itCostsNothingWhileItIsSuspended() {
    String id = ready("rented").path("id").asText();
    Api.Dataplane inside = platform.api().access(id);
    assertThat(inside.upload("kept.txt", "kept".getBytes(UTF_8)).status()).isBetween(200, 204);
    Api.Reply suspended =
        platform.api().post("/v1/sandboxes/" + id + "/suspend", "", "Prefer", "wait=60");
    assertThat(suspended.field("/state")).as(suspended.text()).isEqualTo("suspended");
    JsonNode paused = server.sandboxes().path(0);
    assertThat(paused.path("state").asText()).as(paused.toString()).isEqualTo("paused");
    assertThat(inside.exec("cat", "/workspace/kept.txt").field("/stdout")).isEqualTo("kept");
    assertThat(server.sandboxes().path(0).path("state").asText()).isEqualTo("running");
    await()
        .atMost(PATIENCE)
        .until(
            () ->
                Instant.parse(server.sandboxes().path(0).path("endAt").asText())
                    .isAfter(Instant.now().plusSeconds(600)));
  }

  @Test
  void itIsRentedWhenTheOwnMachineIsFullAndNotAfterwards() {
    String own = ready("anywhere").path("host").asText();
    assertThat(own).isNotEqualTo("rented");
    capacity(own, "{\"sandboxes\": 1}");
    JsonNode rented = ready("anywhere");
    assertThat(rented.path("host").asText()).isEqualTo("rented");
    String id = rented.path("id").asText();
    assertThat(platform.api().access(id).exec("echo", "here").field("/stdout")).isEqualTo("here\n");
    capacity(own, "{}");
    assertThat(ready("anywhere").path("host").asText()).isEqualTo(own);
  }

  private void capacity(String host, String capacity) {
    Api.Reply changed =
        platform
            .api()
            .send(
                "PATCH",
                "/v1/hosts/" + host,
                "{\"capacity\": %s}".formatted(capacity).getBytes(UTF_8));
    assertThat(changed.status()).as(changed.text()).isEqualTo(200);
  }

  @Test
  void aPlatformThatIsKilledMeanwhileForgetsNone() {
    server.faults(List.of(Map.of("match", "POST /v2/sandboxes", "afterMs", 3000, "count", 1)));
    Api.Reply made = platform.api().post("/v1/sandboxes", Api.create("rented"));
    assertThat(made.status()).as(made.text()).isEqualTo(202);
    await().atMost(PATIENCE).until(() -> server.sandboxes().size() == 1);
    platform.kill();
    renting.restart();
    String path = "/v1/sandboxes/" + made.field("/id");
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              Api.Reply now = platform.api().get(path);
              assertThat(now.field("/state")).as(now.text()).isIn("ready", "failed");
            });
    assertThat(server.sandboxes().size()).isLessThanOrEqualTo(1);
  }
}
