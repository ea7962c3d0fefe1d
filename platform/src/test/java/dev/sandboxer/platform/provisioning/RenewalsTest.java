package dev.sandboxer.platform.provisioning;

import static dev.sandboxer.platform.testing.InProcess.asking;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Door;
import dev.sandboxer.testing.faulty.Extended;
import dev.sandboxer.testing.faulty.Fault;
import dev.sandboxer.testing.faulty.FaultyBackend;
import dev.sandboxer.testing.faulty.Whim;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** A backend that ends sandboxes by itself is asked to let them live longer, as long as they do. */
@QuarkusTest
@TestProfile(InProcess.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RenewalsTest {

  private static final String ALL = "/v1/sandboxes";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration MARGIN = Duration.ofMinutes(10);

  private final FaultyBackend faulty = new FaultyBackend("faulty", InProcess.home());
  private String profile;

  @BeforeAll
  void makeProfile() throws IOException {
    profile =
        InProcess.profile(
            """
            extension: ext.faulty
            best_effort: [uid, memory, pids, cpus, workspace, tmp, open_files]
            """);
  }

  /** What the backend does in one test, it does to the sandboxes of all. */
  @AfterEach
  void end() {
    faulty.sound();
    InProcess.api().destroyAll();
  }

  private String ready(int ttlSeconds) {
    return asking()
        .header("Prefer", "wait=60")
        .body(
            """
            {"profile": "%s", "consumer": {"actor": "atm", "project": "life"}, "ttl_seconds": %d}
            """
                .formatted(profile, ttlSeconds))
        .post(ALL)
        .then()
        .statusCode(201)
        .extract()
        .path("id");
  }

  private static Instant end(String id) {
    return Instant.parse(asking().get(ALL + "/" + id).then().extract().path("expires_at"));
  }

  private List<Extended> awaitExtended(String id, int times) {
    await(id).atMost(PATIENCE).until(() -> faulty.extended(id).size() >= times);
    return faulty.extended(id);
  }

  private static JsonNode check() {
    for (JsonNode check : InProcess.api().get("/v1/health/ready").json().path("checks")) {
      if (check.path("name").asText().equals("renewals")) {
        return check;
      }
    }
    throw new AssertionError("no check renewals");
  }

  private static void assertIsMarginBeyond(Instant granted, Instant own) {
    assertThat(granted).isCloseTo(own.plus(MARGIN), within(2, ChronoUnit.SECONDS));
  }

  @Test
  void aShortGrantIsRenewedBeforeItRunsOut() {
    faulty.whim(Whim.GRANTS_AT_MOST, "8");
    String id = ready(600);
    List<Extended> all = awaitExtended(id, 4);
    for (int i = 1; i < all.size(); i++) {
      assertThat(all.get(i).at())
          .as(all.toString())
          .isBefore(all.get(i - 1).granted())
          .isAfter(all.get(i - 1).at().plusSeconds(3));
    }
    assertThat(all).allSatisfy(one -> assertIsMarginBeyond(one.until(), end(id)));
    assertThat(check().path("ok").asBoolean()).isTrue();
  }

  @Test
  void aLongerTtlIsFollowedAndNothingElseIsAsked() {
    String id = ready(600);
    assertIsMarginBeyond(awaitExtended(id, 1).getFirst().granted(), end(id));
    asking().body("{\"ttl_seconds\": 6000}").post(ALL + "/" + id + "/extend-ttl").then();
    assertIsMarginBeyond(awaitExtended(id, 2).get(1).granted(), end(id));
    asking().body("{\"ttl_seconds\": 6060}").post(ALL + "/" + id + "/extend-ttl").then();

    faulty.whim(Whim.GRANTS_AT_MOST, "4");
    awaitExtended(ready(600), 3);
    assertThat(faulty.extended(id)).as("a minute more is within the margin").hasSize(2);
  }

  @Test
  void theLeaseOfASessionIsFollowed() {
    faulty.whim(Whim.GRANTS_AT_MOST, "4");
    Door door = new Door(InProcess.api());
    JsonNode session =
        Door.ok(
            door.api()
                .post(
                    Door.PATH,
                    "{\"thread_id\": \"%s\", \"mode\": \"ensure\", \"profile\": \"%s\"}"
                        .formatted(Door.thread(), profile)));
    String id = session.at("/sandbox/id").asText();
    Extended first = awaitExtended(id, 1).getFirst();
    assertThat(end(id)).isAfter(first.at().plus(Duration.ofHours(1)));
    assertThat(first.until()).isBefore(first.at().plus(MARGIN).plus(Duration.ofMinutes(10)));
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              door.on(session.path("session_id").asText(), "refresh");
              return faulty.extended(id).getLast().until().isAfter(first.until().plusSeconds(1));
            });
    assertThat(door.release(session.path("session_id").asText()).status()).isEqualTo(204);
  }

  @Test
  void oneThatIsToEndIsNotAsked() {
    faulty.whim(Whim.GRANTS_AT_MOST, "4");
    String deleted = ready(600);
    awaitExtended(deleted, 1);
    asking().header("Prefer", "wait=60").delete(ALL + "/" + deleted).then().statusCode(200);
    int asked = faulty.extended(deleted).size();
    awaitExtended(ready(600), 3);
    assertThat(faulty.extended(deleted)).hasSize(asked);
  }

  @Test
  void aBackendThatFailsIsAskedAgainAndReportedWhenTheEndIsNear() {
    faulty.whim(Whim.GRANTS_AT_MOST, "4");
    String id = ready(600);
    awaitExtended(id, 1);
    faulty.always("extend", Fault.LOST_REQUEST);
    await().atMost(PATIENCE).until(() -> !check().path("ok").asBoolean());
    assertThat(check().path("detail").asText()).contains(id, "UNAVAILABLE: the request was lost");
    asking().get("/q/health/well").then().statusCode(503);
    asking().get("/v1/health/ready").then().statusCode(200);
    int asked = faulty.extended(id).size();

    faulty.sound();
    assertIsMarginBeyond(awaitExtended(id, asked + 1).getLast().granted(), end(id));
    await().atMost(PATIENCE).until(() -> check().path("ok").asBoolean());
  }

  /** Such as a limit that no call moves. */
  @Test
  void anEndThatDoesNotMoveIsReportedWhenItIsNear() {
    faulty.whim(Whim.GRANTS_UNTIL, Instant.now().plusSeconds(30).toString());
    String id = ready(600);
    await().atMost(PATIENCE).until(() -> !check().path("ok").asBoolean());
    assertThat(check().path("detail").asText()).contains(id, "grants no later end than");
    asking().header("Prefer", "wait=60").delete(ALL + "/" + id).then().statusCode(200);
    assertThat(check().path("ok").asBoolean()).isTrue();
  }

  @Test
  void anExtensionWithoutLifetimeIsNotAsked() {
    var _ = InProcess.api().ready();
    awaitExtended(ready(600), 1);
    String metrics = asking().get("/v1/metrics").asString();
    assertThat(metrics)
        .contains("sandboxer_extension_call_seconds_count{call=\"extend\",extension=\"ext.faulty\"")
        .doesNotContain("call=\"extend\",extension=\"ext.process\"");
  }
}
