package dev.sandboxer.platform.provisioning;

import static dev.sandboxer.platform.testing.InProcess.asking;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.hamcrest.Matchers.containsString;
import static org.hamcrest.Matchers.equalTo;
import static org.hamcrest.Matchers.everyItem;
import static org.hamcrest.Matchers.not;
import static org.hamcrest.Matchers.nullValue;

import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import io.restassured.response.ValidatableResponse;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

/** What becomes of a sandbox whose backend does as it is told, and of one whose does not. */
@QuarkusTest
@TestProfile(InProcess.class)
class LifeTest {

  private static final String ALL = "/v1/sandboxes";
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Inject Jdbi jdbi;

  private ValidatableResponse create(String more) {
    return asking()
        .header("Prefer", "wait=60")
        .body(
            """
            {"profile": "local", "consumer": {"actor": "atm", "project": "life"}%s}
            """
                .formatted(more))
        .post(ALL)
        .then();
  }

  private String ready() {
    return create("").statusCode(201).body("state", equalTo("ready")).extract().path("id");
  }

  /** One that nobody waits for. */
  private static String begun() {
    return asking()
        .header("Prefer", "wait=0")
        .body(Api.create("local"))
        .post(ALL)
        .then()
        .statusCode(202)
        .extract()
        .path("id");
  }

  private ValidatableResponse look(String id) {
    return asking().get(ALL + "/" + id).then().statusCode(200);
  }

  private void awaitState(String id, String state) {
    await().atMost(PATIENCE).until(() -> look(id).extract().path("state").equals(state));
  }

  /** What the backend keeps of a sandbox. */
  private static List<Path> folders(String id) throws IOException {
    try (Stream<Path> all = Files.list(InProcess.home().resolve("run/process"))) {
      String raw = id.substring("sb_".length());
      return all.filter(folder -> folder.getFileName().toString().startsWith(raw)).toList();
    }
  }

  @Test
  void anExtensionThatDeclaresNoUidLeaseGetsNone() {
    String id = ready().substring("sb_".length());
    List<Boolean> without =
        jdbi.withHandle(
            handle ->
                handle
                    .select("select uid is null from attempt where sandbox_id = ?", id)
                    .mapTo(Boolean.class)
                    .list());
    assertThat(without).containsExactly(true);
  }

  @Test
  void a_sandbox_is_there_from_its_create_to_its_delete() throws IOException {
    String id = ready();
    look(id).body("generation", equalTo(1)).body("destroyed_at", nullValue());
    assertThat(folders(id)).hasSize(1);
    assertThat(InProcess.boxdOf(id)).hasSize(1);

    asking()
        .header("Prefer", "wait=60")
        .delete(ALL + "/" + id)
        .then()
        .statusCode(200)
        .body("state", equalTo("destroyed"))
        .body("end_reason", equalTo("requested"));
    assertThat(folders(id)).isEmpty();
    assertThat(InProcess.boxdOf(id)).isEmpty();
    asking().delete(ALL + "/" + id).then().statusCode(200).body("state", equalTo("destroyed"));
  }

  @Test
  void a_create_that_nobody_waits_for_goes_on() {
    String id = begun();
    awaitState(id, "ready");
  }

  @Test
  void a_delete_in_the_middle_of_a_create_leaves_nothing() throws IOException {
    String id = begun();
    asking().header("Prefer", "wait=60").delete(ALL + "/" + id).then().statusCode(200);
    awaitState(id, "destroyed");
    assertThat(folders(id)).isEmpty();
    assertThat(InProcess.boxdOf(id)).isEmpty();
  }

  @Test
  void a_recreate_takes_the_generation_that_it_names_alone() throws IOException {
    String id = ready();
    String path = ALL + "/" + id + "/recreate";
    asking().body("{}").post(path).then().statusCode(not(201));
    asking().header("If-Match", "7").body("{}").post(path).then().statusCode(412);
    look(id).body("generation", equalTo(1)).body("state", equalTo("ready"));

    asking()
        .header("If-Match", "1")
        .header("Prefer", "wait=60")
        .body("{}")
        .post(path)
        .then()
        .statusCode(201)
        .body("generation", equalTo(2))
        .body("state", equalTo("ready"));
    await().untilAsserted(() -> assertThat(folders(id)).singleElement().asString().contains("-2-"));
  }

  @Test
  void one_whose_process_ends_has_failed_and_is_cleaned_up() throws IOException {
    String id = ready();
    InProcess.boxdOf(id).forEach(ProcessHandle::destroyForcibly);
    awaitState(id, "failed");
    look(id).body("failure.message", containsString("boxd has ended"));
    asking().header("Prefer", "wait=60").delete(ALL + "/" + id).then().statusCode(200);
    awaitState(id, "destroyed");
    assertThat(folders(id)).isEmpty();
  }

  /** What the backend cannot prove to be ours stays, is reported, and is tried again. */
  @Test
  void what_can_not_be_removed_is_tried_again_until_it_can() throws IOException {
    String id = ready();
    Path label = folders(id).getFirst().resolve("label");
    String ours = Files.readString(label);
    Files.writeString(label, "somebody else's");
    asking().header("Prefer", "wait=0").delete(ALL + "/" + id).then().statusCode(202);
    await()
        .atMost(PATIENCE)
        .until(() -> asking().get("/v1/health/ready").asString().contains("not ours"));
    look(id).body("state", equalTo("destroying"));
    assertThat(folders(id)).hasSize(1);

    Files.writeString(label, ours);
    awaitState(id, "destroyed");
    assertThat(folders(id)).isEmpty();
  }

  @Test
  void its_time_is_over_when_it_says_so_unless_it_is_given_more() {
    String brief = create(", \"ttl_seconds\": 2").statusCode(201).extract().path("id");
    String longer = create(", \"ttl_seconds\": 2").statusCode(201).extract().path("id");
    asking()
        .body("{\"ttl_seconds\": 600}")
        .post(ALL + "/" + longer + "/extend-ttl")
        .then()
        .statusCode(200);
    awaitState(brief, "destroyed");
    look(brief).body("end_reason", equalTo("ttl"));
    look(longer).body("state", equalTo("ready"));
  }

  @Test
  void a_list_shows_what_was_asked_for() {
    String id = ready();
    asking()
        .queryParam("live", true)
        .queryParam("project", "life")
        .queryParam("limit", 1000)
        .get(ALL)
        .then()
        .statusCode(200)
        .body("items.consumer.project", everyItem(equalTo("life")))
        .body("items.find { it.id == '%s' }.state".formatted(id), equalTo("ready"));
  }
}
