package dev.sandboxer.platform.sweep;

import static dev.sandboxer.platform.testing.InProcess.asking;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.platform.testing.LogLines;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.faulty.Fault;
import dev.sandboxer.testing.faulty.FaultyBackend;
import dev.sandboxer.testing.faulty.Whim;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a backend has and what is recorded are compared; what does not agree is only reported. */
@QuarkusTest
@TestProfile(InProcess.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SweepTest {

  private static final String ALL = "/v1/sandboxes";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

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

  @BeforeEach
  void nothingIsThere() {
    awaitDetail("0 objects, 0 without a record, 0 live sandboxes without an object");
  }

  @AfterEach
  void sound() {
    faulty.sound();
    InProcess.api().destroyAll();
  }

  private String ready() {
    return InProcess.api().ready(profile).path("id").asText();
  }

  private static void delete(String id) {
    asking().header("Prefer", "wait=60").delete(ALL + "/" + id).then().statusCode(200);
  }

  private static JsonNode check() {
    for (JsonNode check : InProcess.api().get("/v1/health/ready").json().path("checks")) {
      if (check.path("name").asText().startsWith("sweep ext.faulty on ")) {
        return check;
      }
    }
    return Api.JSON.createObjectNode();
  }

  private static String detail() {
    return check().path("detail").asText();
  }

  private static void awaitDetail(String text) {
    await(text).atMost(PATIENCE).until(() -> detail().contains(text));
  }

  private static void awaitMetric(String name, int value) {
    await(name)
        .atMost(PATIENCE)
        .until(
            () ->
                asking()
                    .get("/v1/metrics")
                    .asString()
                    .lines()
                    .anyMatch(
                        line ->
                            line.startsWith("sandboxer_sweep_" + name + "{extension=\"ext.faulty\"")
                                && line.endsWith(" " + value + ".0")));
  }

  private static List<Path> folders(String id) throws IOException {
    try (Stream<Path> all = Files.list(InProcess.home().resolve("run/faulty"))) {
      String raw = id.substring("sb_".length());
      return all.filter(folder -> folder.getFileName().toString().startsWith(raw)).toList();
    }
  }

  private static void assertLives(String id) {
    asking().get(ALL + "/" + id).then().statusCode(200);
    assertThat(InProcess.api().access(id).exec("echo", "alive").field("/stdout"))
        .isEqualTo("alive\n");
  }

  @Test
  void whatAgreesIsNoFinding() {
    String one = ready();
    String two = ready();
    awaitDetail("2 objects, 0 without a record, 0 live sandboxes without an object");
    assertThat(check().path("ok").asBoolean()).isTrue();
    delete(one);
    delete(two);
  }

  @Test
  void anObjectThatIsRecordedAsRemovedIsReportedAndStays() throws IOException {
    String id = ready();
    faulty.whim(Whim.KEEPS_ALL, "true");
    try (LogLines log = LogLines.follow()) {
      delete(id);
      faulty.sound();
      awaitDetail("1 objects, 1 without a record, 0 live sandboxes without an object");
      assertThat(check().path("ok").asBoolean()).as("it is only reported").isTrue();
      awaitMetric("unrecorded_objects", 1);
      assertThat(log.with("object without a record"))
          .isNotEmpty()
          .allSatisfy(
              line ->
                  assertThat(line).contains("ext.faulty", "identity=" + id.substring(3) + "-1-1"));
      assertThat(folders(id)).hasSize(1);
      assertThat(InProcess.boxdOf(id)).hasSize(1);
    }
    removeByHand(id);
    awaitDetail("0 objects, 0 without a record");
    awaitMetric("unrecorded_objects", 0);
  }

  private static void removeByHand(String id) throws IOException {
    InProcess.boxdOf(id).forEach(ProcessHandle::destroyForcibly);
    await().atMost(PATIENCE).until(() -> InProcess.boxdOf(id).findAny().isEmpty());
    for (Path folder : folders(id)) {
      try (Stream<Path> files = Files.walk(folder)) {
        for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(file);
        }
      }
    }
  }

  @Test
  void aLiveSandboxWithoutAnObjectIsReportedAndGoesOn() {
    String missed = ready();
    String other = ready();
    try (LogLines log = LogLines.follow()) {
      faulty.whim(Whim.OMITS, missed.substring("sb_".length()));
      awaitDetail("1 objects, 0 without a record, 1 live sandboxes without an object");
      assertThat(check().path("ok").asBoolean()).as("it is only reported").isTrue();
      awaitMetric("missing_objects", 1);
      assertThat(log.with("live sandbox without an object"))
          .isNotEmpty()
          .allSatisfy(line -> assertThat(line).contains("sandbox=" + missed));
    }
    assertLives(missed);
    assertLives(other);
  }

  @ParameterizedTest
  @CsvSource({
    "PARTIAL,true,the listing is not complete",
    "EMPTY,true,'the listing is empty, but 1 sandboxes are recorded as live there'"
  })
  void aListingThatSaysTooLittleJudgesNothing(Whim whim, String value, String reason) {
    String id = ready();
    awaitDetail("1 objects, 0 without a record, 0 live sandboxes without an object");
    faulty.whim(whim, value);
    judgesNothing(id, reason);
  }

  @Test
  void aListingThatFailsJudgesNothing() {
    String id = ready();
    awaitDetail("1 objects, 0 without a record, 0 live sandboxes without an object");
    faulty.always("inventory", Fault.LOST_ANSWER);
    judgesNothing(id, "UNAVAILABLE: the answer was lost");
  }

  /** What the last one that was judged has found stays reported. */
  private void judgesNothing(String id, String reason) {
    awaitDetail("1 listings in a row judge nothing: " + reason);
    assertThat(check().path("ok").asBoolean()).as("once").isTrue();
    await().atMost(PATIENCE).until(() -> !check().path("ok").asBoolean());
    assertThat(detail())
        .contains("1 objects, 0 without a record, 0 live sandboxes without an object", reason);
    asking().get("/q/health/well").then().statusCode(503);
    assertLives(id);
    faulty.sound();
    await().atMost(PATIENCE).until(() -> check().path("ok").asBoolean());
    assertThat(detail()).doesNotContain("judge nothing");
  }

  @Test
  void allPagesAreRead() {
    faulty.whim(Whim.PAGES_OF, "1");
    ready();
    ready();
    ready();
    awaitDetail("3 objects, 0 without a record, 0 live sandboxes without an object");
  }
}
