package dev.sandboxer.platform.api.control;

import static io.restassured.RestAssured.given;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.hasItems;
import static org.hamcrest.Matchers.hasKey;
import static org.hamcrest.Matchers.is;
import static org.hamcrest.Matchers.not;

import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.specification.RequestSpecification;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Probes learn whether it is up, and operators why not. */
@QuarkusTest
@TestProfile(InProcess.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class HealthTest {

  private static RequestSpecification stranger() {
    return given().baseUri(InProcess.api().base().toString());
  }

  private static RequestSpecification consumer() {
    Api.Reply key =
        InProcess.api().post("/v1/keys", "{\"name\": \"a prober\", \"role\": \"consumer\"}");
    return stranger().header("X-API-KEY", key.field("/key"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"/q/health/live", "/q/health/ready", "/q/health/started"})
  void aProbeWithoutAKeyLearnsTheStatusOnly(String path) {
    stranger().get(path).then().statusCode(200).body("$", equalTo(Map.of("status", "UP")));
    consumer().get(path).then().statusCode(200).body("$", equalTo(Map.of("status", "UP")));
    stranger().head(path).then().statusCode(200);
    stranger()
        .header("X-API-KEY", "sbxk_wrong")
        .get(path)
        .then()
        .statusCode(401)
        .body("error.code", is("UNAUTHENTICATED"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/q/health",
        "/q/health/well",
        "/q/health/",
        "/q/health/live/",
        "/q/health/group/x"
      })
  void theRestIsForOperators(String path) {
    stranger().get(path).then().statusCode(401).body("error.code", is("UNAUTHENTICATED"));
    consumer().get(path).then().statusCode(403).body("error.code", is("FORBIDDEN"));
  }

  @Test
  void anOperatorReadsWhatEachFeatureSays() {
    InProcess.asking()
        .get("/q/health/ready")
        .then()
        .statusCode(200)
        .body("checks.name", hasItems("database"))
        .body("checks.find { it.name == 'database' }.data.database", is("answers"));
    InProcess.asking().get("/q/health/started").then().body("checks.name", hasItems("node"));
    InProcess.asking()
        .get("/q/health/well")
        .then()
        .body(
            "checks.name", hasItems("installation", "extensions", "clean-up", "renewals", "sinks"))
        .body("checks.find { it.name == 'extensions' }.data", hasKey("ext.process"));
    InProcess.asking()
        .get("/q/health")
        .then()
        .body("checks.name", hasItems("database", "node", "installation", "extensions"));
  }

  @Test
  void theApiHasTheSameAsOneList() {
    InProcess.asking()
        .get("/v1/health/ready")
        .then()
        .statusCode(200)
        .body("status", is("up"))
        .body(
            "checks.name", hasItems("database", "installation", "ext.process", "clean-up", "node"))
        .body("checks.find { it.name == 'clean-up' }.detail", containsString("failing"));
    stranger().get("/v1/health/ready").then().body("$", not(hasKey("checks")));
  }
}
