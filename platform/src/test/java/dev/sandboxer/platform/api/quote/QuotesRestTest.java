package dev.sandboxer.platform.api.quote;

import static dev.sandboxer.platform.testing.InProcess.asking;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.empty;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasSize;
import static org.hamcrest.Matchers.nullValue;

import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code POST /v1/quotes} lists a price for each candidate, and creates nothing. */
@QuarkusTest
@TestProfile(InProcess.class)
class QuotesRestTest {

  private static final Path LIST = InProcess.home().resolve("prices/test.yaml");

  @AfterEach
  void withoutPrices() throws IOException {
    Files.deleteIfExists(LIST);
    quote("{\"profile\": \"local\"}").statusCode(200); // the other tests find none
  }

  private static ValidatableResponse quote(String body) {
    return asking().body(body).post("/v1/quotes").then();
  }

  private static void prices(String text) throws IOException {
    Files.createDirectories(LIST.getParent());
    Files.writeString(LIST, text);
  }

  private static String host() throws IOException {
    return Files.readString(InProcess.home().resolve("node")).strip();
  }

  @Test
  void withoutPricesAnOwnHostIsFree() throws IOException {
    quote("{\"profile\": \"local\", \"consumer\": {\"actor\": \"adm\", \"project\": \"p\"}}")
        .statusCode(200)
        .body("items", hasSize(1))
        .body("items[0].extension", equalTo("ext.process"))
        .body("items[0].host", equalTo(host()))
        .body("items[0].amount", equalTo("0.00"))
        .body("items[0].currency", equalTo("USD"))
        .body("items[0].basis", equalTo("free"))
        .body("items[0].valid_until", nullValue())
        .body("items[0].reason", nullValue())
        .body("rejected", empty());
  }

  @Test
  void candidatesArePricedInTheirOrder() throws IOException {
    String profile =
        InProcess.profile(
            """
            routing: {strategy: explicit, candidates: [ext.faulty, ext.process, ext.absent]}
            resources: {cpus: 2, memory: 512Mi}
            ttl: 2h
            best_effort: [uid, memory, pids, cpus, workspace, tmp, open_files]
            """);
    prices(
        """
        currency: EUR
        hosts:
          - {host: %s, extension: ext.process, until: 2126-01-01, per_vcpu_hour: 0.05,
             per_gib_hour: 0.0162, basis: active, minimum: 1m, granularity: 5s}
        rates: [{from: EUR, to: USD, date: 2020-01-01, rate: 1.25}]
        """
            .formatted(host()));
    quote("{\"profile\": \"%s\", \"active_share\": 0.5}".formatted(profile))
        .statusCode(200)
        .body("items.extension", equalTo(List.of("ext.faulty", "ext.process", "ext.absent")))
        .body("items[0].basis", equalTo("free"))
        .body("items[1].amount", equalTo("0.1081"))
        .body("items[1].currency", equalTo("EUR"))
        .body("items[1].converted.amount", equalTo("0.135125"))
        .body("items[1].converted.currency", equalTo("USD"))
        .body("items[1].basis", equalTo("active"))
        .body("items[1].minimum_seconds", equalTo(60))
        .body("items[1].granularity_seconds", equalTo(5))
        .body("items[1].valid_until", equalTo("2126-01-01T00:00:00Z"))
        .body("items[1].source", equalTo("test.yaml:3"))
        .body("items[2].amount", nullValue())
        .body("items[2].currency", nullValue())
        .body("items[2].reason", equalTo("ext.absent is not loaded"));
    quote("{\"profile\": \"%s\", \"duration_seconds\": 1}".formatted(profile))
        .body("items[1].amount", equalTo("0.00180167"));
  }

  @Test
  void whatCannotRunIsListedWithItsReasons() throws IOException {
    String profile =
        InProcess.profile(
            """
            routing: {strategy: explicit, candidates: [ext.process, ext.faulty]}
            isolation: {level: container}
            best_effort: [uid, memory, pids, cpus, workspace, tmp, open_files]
            """);
    quote("{\"profile\": \"%s\"}".formatted(profile))
        .statusCode(200)
        .body("items.extension", equalTo(List.of("ext.faulty")))
        .body("rejected[0].extension", equalTo("ext.process"))
        .body("rejected[0].host", equalTo(host()))
        .body("rejected[0].reasons[0].profile_key", equalTo("isolation.level"))
        .body("rejected[0].reasons[0].message", containsString("ext.process offers process"));
  }

  @Test
  void aRefusedListIsInHealthAndMakesNothingFree() throws IOException {
    prices("currency: USD\nhosts:\n  - {host: x, per_hour: -1}\n");
    await()
        .atMost(Duration.ofSeconds(30))
        .untilAsserted(
            () ->
                quote("{\"profile\": \"local\"}")
                    .body("items[0].amount", nullValue())
                    .body("items[0].reason", containsString("test.yaml is refused")));
    asking()
        .get("/q/health/well")
        .then()
        .body("checks.find { it.name == 'prices' }.status", equalTo("DOWN"))
        .body(
            "checks.find { it.name == 'prices' }.data.'prices/test.yaml'",
            containsString("test.yaml:3: hosts[0].per_hour: '-1' must not be negative"));
    asking().get("/q/health/ready").then().statusCode(200);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "[]|JSON object",
        "{}|'profile' is missing",
        "{\"profile\": \"no-such\"}|no-such",
        "{\"profile\": \"local\", \"inputs\": {\"x\": \"1\"}}|x",
        "{\"profile\": \"local\", \"duration_seconds\": 0}|'duration_seconds' is 0",
        "{\"profile\": \"local\", \"duration_seconds\": 1.5}|'duration_seconds' is 1.5",
        "{\"profile\": \"local\", \"active_share\": 1.01}|'active_share' is 1.01",
        "{\"profile\": \"local\", \"active_share\": -0.1}|'active_share' is -0.1",
        "{\"profile\": \"local\", \"active_share\": \"1\"}|'active_share' is \"1\"",
        "{\"profile\": \"local\", \"consumer\": {\"actor\": \"x\", \"project\": \"p\"}}|consumer.actor",
        "{\"profile\": \"local\", \"ttl_seconds\": 5}|ttl_seconds",
      })
  void badInputIsRefusedWithTheField(String body, String expected) {
    quote(body)
        .statusCode(400)
        .body("error.code", equalTo("VALIDATION"))
        .body("detail", containsString(expected))
        .body("example.profile", equalTo("local"));
  }

  @Test
  void aConsumersKeySufficesAndNoneDoesNot() {
    Api.Reply key =
        InProcess.api().post("/v1/keys", "{\"name\": \"quotes\", \"role\": \"consumer\"}");
    Api consumer = InProcess.api().withKey(key.field("/key"));
    assertThat(consumer.post("/v1/quotes", "{\"profile\": \"local\"}").status()).isEqualTo(200);
    Api nobody = InProcess.api().withKey("");
    assertThat(nobody.post("/v1/quotes", "{\"profile\": \"local\"}").status()).isEqualTo(401);
  }
}
