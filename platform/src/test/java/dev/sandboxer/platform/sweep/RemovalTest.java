package dev.sandboxer.platform.sweep;

import static dev.sandboxer.platform.testing.InProcess.asking;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.faulty.Fault;
import dev.sandboxer.testing.faulty.FaultyBackend;
import dev.sandboxer.testing.faulty.Whim;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What has no record goes after its grace and a second look, and nothing else does. */
@QuarkusTest
@TestProfile(RemovalTest.Profile.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RemovalTest {

  private static final String ALL = "/v1/sandboxes";
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int GRACE_SECONDS = 10;

  @Inject Jdbi jdbi;

  private final FaultyBackend faulty = new FaultyBackend("faulty", InProcess.home());
  private String profile;

  /** A grace that a test can wait for, and that is longer than what it does meanwhile. */
  public static final class Profile extends InProcess {
    @Override
    public Map<String, String> getConfigOverrides() {
      return settings(Map.of("SANDBOXER_SWEEP_GRACE_SECONDS", "" + GRACE_SECONDS));
    }
  }

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

  private static JsonNode check() {
    for (JsonNode check : InProcess.api().get("/v1/health/ready").json().path("checks")) {
      if (check.path("name").asText().startsWith("sweep ext.faulty on ")) {
        return check;
      }
    }
    return Api.JSON.createObjectNode();
  }

  private static void awaitDetail(String text) {
    await(text).atMost(PATIENCE).until(() -> check().path("detail").asText().contains(text));
  }

  private String ready() {
    return InProcess.api().ready(profile).path("id").asText();
  }

  /** Objects that the records say are removed. */
  private List<String> kept(int number) {
    List<String> ids = new ArrayList<>();
    for (int i = 0; i < number; i++) {
      ids.add(ready());
    }
    faulty.whim(Whim.KEEPS_ALL, "true");
    for (String id : ids) {
      asking().header("Prefer", "wait=60").delete(ALL + "/" + id).then().statusCode(200);
    }
    return ids;
  }

  private static boolean there(String id) throws IOException {
    try (Stream<Path> all = Files.list(InProcess.home().resolve("run/faulty"))) {
      return all.anyMatch(folder -> folder.getFileName().toString().startsWith(raw(id)));
    }
  }

  private static String raw(String id) {
    return id.substring("sb_".length());
  }

  private static void awaitGone(String id) {
    await(id + " is gone").atMost(PATIENCE).until(() -> !there(id));
  }

  /** The place of the faulty backend in the report of a sweep that is waited for. */
  private static JsonNode sweep(String body) {
    Api.Reply ordered = InProcess.api().post("/v1/sweeps", body);
    assertThat(ordered.status()).as(ordered.text()).isEqualTo(202);
    String path = ordered.headers().firstValue("Location").orElseThrow();
    await(path)
        .atMost(PATIENCE)
        .until(() -> InProcess.api().get(path).field("/state").equals("done"));
    for (JsonNode place : InProcess.api().get(path).json().path("places")) {
      if (place.path("extension").asText().equals("ext.faulty")) {
        return place;
      }
    }
    throw new AssertionError("the faulty backend was not swept");
  }

  private static JsonNode look() {
    return sweep("{\"dry_run\": true}");
  }

  private static String host() {
    return look().path("host").asText();
  }

  /** Waits until a sweep has noted them all, and makes it an earlier one: a grace ago. */
  private void ripen(String... ids) {
    String[] noted = Stream.of(ids).map(RemovalTest::raw).toArray(String[]::new);
    await("noted as suspects")
        .atMost(PATIENCE)
        .until(
            () ->
                jdbi.withHandle(
                    open ->
                        open.createQuery(
                                "select count(*) from sweep_suspect where sandbox = any(:ids)")
                            .bind("ids", noted)
                            .mapTo(Integer.class)
                            .one()
                            .equals(ids.length)));
    jdbi.useHandle(
        open ->
            open.createUpdate(
                    "update sweep_suspect set first_seen_at ="
                        + " first_seen_at - make_interval(secs => :grace)"
                        + " where sandbox = any(:ids)")
                .bind("grace", GRACE_SECONDS)
                .bind("ids", noted)
                .execute());
  }

  @Test
  void anObjectGoesAfterItsGraceAndASecondLook() throws IOException {
    String id = kept(1).getFirst();
    faulty.sound();
    awaitDetail("1 objects, 1 without a record");
    JsonNode seen = look().path("result");
    assertThat(seen.path("suspects").asInt()).as(seen.toString()).isEqualTo(1);
    assertThat(seen.path("wanted").asInt()).isZero();
    assertThat(seen.at("/findings/0/sandbox_id").asText()).isEqualTo(id);
    assertThat(there(id)).as("within its grace").isTrue();
    awaitGone(id);
    awaitDetail("0 objects, 0 without a record");
    assertThat(InProcess.boxdOf(id)).isEmpty();
  }

  @Test
  void whatIsForeignOrLivesStays() throws IOException {
    String lives = ready();
    List<String> both = kept(2);
    faulty.whim(Whim.DISOWNS, raw(both.getFirst()));
    ripen(both.getLast());
    awaitGone(both.getLast());
    assertThat(there(both.getFirst())).isTrue();
    assertThat(look().at("/result/suspects").asInt()).isZero();
    assertThat(InProcess.api().access(lives).exec("echo", "alive").field("/stdout"))
        .isEqualTo("alive\n");
    faulty.sound();
    ripen(both.getFirst());
    awaitGone(both.getFirst());
    assertThat(there(lives)).isTrue();
  }

  @ParameterizedTest
  @CsvSource({"PARTIAL,not complete", "EMPTY,the listing is empty"})
  void aListingThatSaysTooLittleRemovesNothing(Whim whim, String reason) throws IOException {
    ready();
    String id = kept(1).getFirst();
    faulty.sound();
    awaitDetail("2 objects, 1 without a record");
    faulty.whim(whim, "true");
    staysUnjudged(id, reason);
  }

  @Test
  void aListingThatFailsRemovesNothing() throws IOException {
    String id = kept(1).getFirst();
    faulty.sound();
    awaitDetail("1 objects, 1 without a record");
    faulty.always("inventory", Fault.LOST_ANSWER);
    staysUnjudged(id, "the answer was lost");
  }

  private void staysUnjudged(String id, String reason) throws IOException {
    awaitDetail(reason); // no listing of before is under way
    ripen(id);
    JsonNode place = sweep("{}");
    assertThat(place.path("state").asText()).isEqualTo("unjudged");
    assertThat(place.at("/result/reason").asText()).contains(reason);
    assertThat(there(id)).isTrue();
    faulty.sound();
    awaitGone(id);
  }

  @Test
  void moreThanTheBoundWaitsForAnOperator() throws IOException {
    List<String> ids = kept(6);
    faulty.whim(Whim.PAGES_OF, "4");
    ripen(ids.toArray(String[]::new));
    awaitDetail("6 objects to remove, more than 5 of 6 listed at once");
    assertThat(check().path("ok").asBoolean()).isFalse();
    JsonNode refused = sweep("{}").path("result");
    assertThat(refused.path("wanted").asInt()).isEqualTo(6);
    assertThat(refused.path("removed").asInt()).isZero();
    assertThat(refused.path("refused").asText()).contains("sandboxer sweep --confirm --host");
    for (String id : ids) {
      assertThat(there(id)).isTrue();
    }
    JsonNode dry = look().path("result");
    assertThat(dry.path("wanted").asInt()).isEqualTo(6);
    assertThat(dry.path("removed").asInt()).isZero();
    JsonNode confirmed = sweep("{\"host\": \"%s\", \"confirm\": true}".formatted(host()));
    assertThat(confirmed.at("/result/removed").asInt()).as(confirmed.toString()).isEqualTo(6);
    for (String id : ids) {
      assertThat(there(id)).isFalse();
    }
    await().atMost(PATIENCE).until(() -> check().path("ok").asBoolean());
  }

  /** Two are to be removed; while the first teardown hangs, both have an open attempt again. */
  @Test
  void whatHasARecordByNowStays() throws IOException {
    List<String> both = kept(2);
    faulty.always("teardown", Fault.HANG);
    awaitDetail("2 objects, 2 without a record");
    ripen(both.toArray(String[]::new));
    await("a pass that hangs")
        .atMost(PATIENCE)
        .during(Duration.ofSeconds(1))
        .until(() -> one("select claim_until is not null from sweep where objects = 2"));
    cleanup(both, "pending");
    faulty.sound();
    awaitDetail("2 objects, 0 without a record");
    for (String id : both) {
      assertThat(there(id)).isTrue();
    }
    cleanup(both, "done");
    ripen(both.toArray(String[]::new));
    both.forEach(RemovalTest::awaitGone);
  }

  private boolean one(String query) {
    return jdbi.withHandle(open -> open.createQuery(query).mapTo(Boolean.class).one());
  }

  /** Not due for long, so that nobody cleans up. */
  private void cleanup(List<String> ids, String cleanup) {
    for (String id : ids) {
      jdbi.useHandle(
          open ->
              open.execute(
                  "update attempt set cleanup = ?, cleanup_due_at = now() + interval '1 day'"
                      + " where sandbox_id = ?",
                  cleanup,
                  raw(id)));
    }
  }

  @Test
  void aDatabaseThatWasSetBackMakesSweepsReportOnly() throws IOException {
    String id = kept(1).getFirst();
    faulty.sound();
    awaitDetail("1 objects, 1 without a record");
    jdbi.useHandle(open -> open.execute("update installation set sweeps = 0"));
    awaitDetail("it only reports");
    ripen(id);
    JsonNode result = sweep("{}").path("result");
    assertThat(result.path("suspects").asInt()).isEqualTo(1);
    assertThat(result.path("refused").asText()).contains("sandboxer sweep --accept-restore");
    assertThat(there(id)).isTrue();
    asking().get("/q/health/well").then().statusCode(503);
    accept();
    ripen(id);
    awaitGone(id);
  }

  @Test
  void aHomeOfAnotherDatabaseMakesSweepsReportOnly() throws IOException {
    String id = kept(1).getFirst();
    faulty.sound();
    awaitDetail("1 objects, 1 without a record");
    Path file = InProcess.home().resolve("installation");
    String[] mark = Files.readString(file).strip().split(" ", -1);
    Files.writeString(file, mark[0] + " " + (Long.parseLong(mark[1]) + 7) + "\n");
    awaitDetail("it only reports: the home belongs to");
    ripen(id);
    assertThat(sweep("{}").at("/result/removed").asInt()).isZero();
    assertThat(there(id)).isTrue();
    accept();
    assertThat(Files.readString(file).strip())
        .isEqualTo(mark[0] + " " + (Long.parseLong(mark[1]) + 8));
    ripen(id);
    awaitGone(id);
  }

  private static void accept() {
    String body = "{\"accept_restore\": true}";
    assertThat(InProcess.api().withKey(key("operator")).post("/v1/sweeps", body).status())
        .isEqualTo(403);
    assertThat(InProcess.api().post("/v1/sweeps", body).status()).isEqualTo(202);
    assertThat(InProcess.api().post("/v1/sweeps", body).code()).isEqualTo("INVALID_STATE");
  }

  private static String key(String role) {
    Api.Reply made =
        InProcess.api()
            .post("/v1/keys", "{\"name\": \"sweeper\", \"role\": \"%s\"}".formatted(role));
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    return made.field("/key");
  }

  @Test
  void wrongOrdersAreRefused() {
    Api api = InProcess.api();
    assertThat(api.post("/v1/sweeps", "{\"hosts\": 1}").code()).isEqualTo("VALIDATION");
    assertThat(api.post("/v1/sweeps", "{\"dry_run\": 1}").code()).isEqualTo("VALIDATION");
    assertThat(api.post("/v1/sweeps", "{\"confirm\": true}").code()).isEqualTo("VALIDATION");
    assertThat(api.post("/v1/sweeps", "{\"host\": \"nowhere\"}").code()).isEqualTo("NOT_FOUND");
    assertThat(api.get("/v1/sweeps/swp_nothing").code()).isEqualTo("NOT_FOUND");
    assertThat(api.withKey(key("consumer")).post("/v1/sweeps", "{}").status()).isEqualTo(403);
    JsonNode place = look();
    assertThat(place.path("state").asText()).isEqualTo("judged");
    assertThat(api.get("/v1/sweeps").json().at("/items/0/places").toString())
        .contains(place.toString());
  }

  @Test
  void anOperatorForgetsWhatCannotBeRemoved() {
    String id = ready();
    faulty.always("teardown", Fault.LOST_REQUEST);
    asking().delete(ALL + "/" + id).then().statusCode(202);
    await().atMost(PATIENCE).until(() -> cleanup(id).path("failures").asInt() >= 2);
    JsonNode left = cleanup(id);
    assertThat(left.at("/report/left/0/reason").asText()).contains("the request was lost");
    assertThat(left.path("age_seconds").isNumber()).isTrue();
    String attempt = left.path("attempt_id").asText();
    assertThat(asking().get("/v1/health/ready").asString())
        .contains("sandboxer cleanups forget " + attempt);
    assertThat(check().path("detail").asText()).as("open").contains("0 without a record");
    String forget = "/v1/cleanups/" + attempt + "/forget";
    assertThat(InProcess.api().withKey(key("operator")).post(forget, "").status()).isEqualTo(403);
    assertThat(InProcess.api().post(forget, "").status()).isEqualTo(204);
    JsonNode sandbox = InProcess.api().get(ALL + "/" + id).json();
    assertThat(sandbox.path("state").asText()).isEqualTo("destroyed");
    assertThat(sandbox.path("cleanup").asText()).isEqualTo("abandoned");
    assertThat(InProcess.api().post(forget, "").code()).isEqualTo("INVALID_STATE");
    assertThat(InProcess.api().post("/v1/cleanups/att_no/forget", "").code())
        .isEqualTo("NOT_FOUND");
    await("audit")
        .atMost(PATIENCE)
        .until(() -> asking().get("/v1/audit?action=cleanup.forget").asString().contains(id));
    faulty.sound();
    ripen(id);
    awaitGone(id);
  }

  @Test
  void sweepsAndCleanUpsComeInPages() {
    List<String> ids = List.of(ready(), ready(), ready());
    faulty.always("teardown", Fault.LOST_REQUEST);
    ids.forEach(id -> asking().delete(ALL + "/" + id).then().statusCode(202));
    ids.forEach(id -> await(id).atMost(PATIENCE).until(() -> !cleanup(id).isEmpty()));
    assertThat(paged("/v1/cleanups", "sandbox_id")).containsAll(ids);
    look();
    look();
    assertThat(paged("/v1/sweeps", "id")).hasSizeGreaterThan(1);
    for (String list : List.of("/v1/cleanups", "/v1/sweeps")) {
      assertThat(InProcess.api().get(list + "?limit=0").code()).isEqualTo("VALIDATION");
      assertThat(InProcess.api().get(list + "?cursor=x").code()).isEqualTo("VALIDATION");
    }
  }

  /** A field of every item, read one by one, which is the same as at once. */
  private static List<String> paged(String list, String field) {
    List<String> single = new ArrayList<>();
    String next = "";
    do {
      JsonNode page = InProcess.api().get(list + "?limit=1" + next).json();
      assertThat(page.path("items")).hasSize(1);
      single.add(page.path("items").path(0).path(field).asText());
      JsonNode cursor = page.path("next_cursor");
      next = cursor.isNull() ? "" : "&cursor=" + cursor.asText();
    } while (!next.isEmpty());
    JsonNode whole = InProcess.api().get(list + "?limit=1000").json();
    assertThat(whole.path("next_cursor").isNull()).isTrue();
    assertThat(single).isEqualTo(whole.path("items").findValuesAsText(field));
    return single;
  }

  private static JsonNode cleanup(String id) {
    for (JsonNode one : InProcess.api().get("/v1/cleanups").json().path("items")) {
      if (one.path("sandbox_id").asText().equals(id)) {
        return one;
      }
    }
    return Api.JSON.createObjectNode();
  }
}
