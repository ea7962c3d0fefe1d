package dev.sandboxer.platform.routing;

import static dev.sandboxer.platform.testing.InProcess.asking;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.equalTo;

import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.faulty.Fault;
import dev.sandboxer.testing.faulty.FaultyBackend;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A create whose first backend fails goes on to the next one, and leaves nothing at the first. */
@QuarkusTest
@TestProfile(InProcess.class)
class NextCandidateTest {

  private static final String ALL = "/v1/sandboxes";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final FaultyBackend faulty = new FaultyBackend("faulty", InProcess.home());

  /** A success also closes the breaker of the backend. */
  @AfterEach
  void sound() throws IOException {
    faulty.sound();
    String id = create(profile("ext.faulty")).statusCode(201).extract().path("id");
    asking().header("Prefer", "wait=60").delete(ALL + "/" + id).then().statusCode(200);
  }

  private static String profile(String candidates) throws IOException {
    return InProcess.profile(
        """
        routing: {strategy: explicit, candidates: [%s]}
        best_effort: [uid, memory, pids, cpus, workspace, tmp, open_files]
        """
            .formatted(candidates));
  }

  private static ValidatableResponse create(String profile) {
    return asking().header("Prefer", "wait=60").body(Api.create(profile)).post(ALL).then();
  }

  private static List<String> events(String id) {
    return asking().get(ALL + "/" + id + "/events").then().extract().path("items.type");
  }

  private static long folders(String id) throws IOException {
    Path run = Files.createDirectories(InProcess.home().resolve("run/faulty"));
    try (Stream<Path> all = Files.list(run)) {
      String raw = id.substring("sb_".length());
      return all.filter(folder -> folder.getFileName().toString().startsWith(raw)).count();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "provision,CAPACITY",
    "provision,LOST_REQUEST",
    "provision,LOST_ANSWER",
    "provision,MADE_AND_FAILED",
    "provision,LATE",
    "waitReady,CAPACITY",
    "waitReady,LOST_ANSWER"
  })
  void theNextOneIsTried(String call, Fault fault) throws IOException {
    String profile = profile("ext.faulty, ext.process");
    faulty.always(call, fault);
    String id =
        create(profile)
            .statusCode(201)
            .body("state", equalTo("ready"))
            .body("generation", equalTo(1))
            .body("extension_id", equalTo("ext.process"))
            .extract()
            .path("id");
    assertThat(events(id))
        .containsExactly(
            "sandbox.requested",
            "sandbox.provisioning",
            "sandbox.requested",
            "sandbox.provisioning",
            "sandbox.ready");
    assertThat(InProcess.api().access(id).exec("echo", "alive").field("/stdout"))
        .isEqualTo("alive\n");
    faulty.sound();
    asking().header("Prefer", "wait=60").delete(ALL + "/" + id).then().statusCode(200);
    assertThat(folders(id)).isZero();
    assertThat(InProcess.boxdOf(id)).isEmpty();
  }

  /** As a debt: while its sandbox lives on the other backend. */
  @Test
  void whatTheFirstOneMadeIsRemovedMeanwhile() throws IOException {
    String profile = profile("ext.faulty, ext.process");
    faulty.always("waitReady", Fault.CAPACITY);
    String id = create(profile).statusCode(201).extract().path("id");
    await().atMost(PATIENCE).until(() -> folders(id) == 0);
    asking().get(ALL + "/" + id).then().body("state", equalTo("ready"));
    assertThat(InProcess.boxdOf(id)).hasSize(1);
  }

  @Test
  void theLastOnesFailureIsTheSandboxs() throws IOException {
    String profile = profile("ext.faulty");
    faulty.always("provision", Fault.CAPACITY);
    String id =
        create(profile)
            .statusCode(503)
            .body("error.code", equalTo("CAPACITY"))
            .extract()
            .path("sandbox_id");
    asking()
        .get(ALL + "/" + id)
        .then()
        .body("state", equalTo("failed"))
        .body("cleanup", equalTo("done"));
  }

  /** It would be refused there as well. */
  @Test
  void aBackendThatCannotIsNoCandidate() throws IOException {
    String name =
        InProcess.profile(
            """
            routing: {candidates: [ext.faulty, ext.process]}
            isolation: {level: vm}
            """);
    create(name)
        .statusCode(422)
        .body("error.code", equalTo("NO_CANDIDATE"))
        .body("rejected.size()", equalTo(2));
  }

  @Test
  void aRecreateBeginsWithTheFirstCandidateAgain() throws IOException {
    String profile = profile("ext.faulty, ext.process");
    faulty.always("provision", Fault.CAPACITY);
    String id = create(profile).statusCode(201).extract().path("id");
    faulty.sound();
    asking()
        .header("If-Match", "1")
        .header("Prefer", "wait=60")
        .body("{}")
        .post(ALL + "/" + id + "/recreate")
        .then()
        .statusCode(201)
        .body("extension_id", equalTo("ext.faulty"));
  }
}
