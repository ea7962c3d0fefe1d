package dev.sandboxer.platform.api.volume;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.platform.testing.Restricted;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.faulty.Fault;
import dev.sandboxer.testing.faulty.FaultyBackend;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code /v1/volumes}, and who may have one when; on a backend whose calls fail on demand. */
@QuarkusTest
@TestProfile(Restricted.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class VolumesRestTest {

  private static final int MOST = Restricted.VOLUMES;
  private static final String SLACK =
      "best_effort: [uid, memory, pids, cpus, workspace, tmp, open_files]\n";

  private final Api api = InProcess.api();
  private final FaultyBackend faulty = new FaultyBackend("faulty", InProcess.home());
  private String profile = "";

  @BeforeAll
  void makeProfile() throws IOException {
    profile =
        InProcess.profile(
            "extension: ext.faulty\ncaller_mounts: {modes: [volume], max: 2}\n" + SLACK);
  }

  @AfterEach
  void tidy() {
    faulty.sound();
    api.destroyAll();
    await()
        .atMost(Duration.ofMinutes(1))
        .until(
            () -> {
              for (JsonNode one : api.get("/v1/volumes").json().path("items")) {
                var _ = api.delete("/v1/volumes/" + one.path("name").asText());
              }
              return api.get("/v1/volumes").json().path("items").isEmpty();
            });
  }

  private static String unique() {
    return "v-" + UUID.randomUUID();
  }

  private Api.Reply make(String name, String size) {
    return api.post("/v1/volumes", "{\"name\": \"%s\", \"size\": \"%s\"}".formatted(name, size));
  }

  private String made() {
    String name = unique();
    Api.Reply reply = make(name, "16Mi");
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    return name;
  }

  private static String body(String profile, String mounts) {
    return """
    {"profile": "%s", "consumer": {"actor": "adm", "project": "p"}, "mounts": [%s]}\
    """
        .formatted(profile, mounts);
  }

  private static String mount(String volume, String mode) {
    return "{\"volume\": \"%s\", \"mount_path\": \"/data\", \"mode\": \"%s\"}"
        .formatted(volume, mode);
  }

  private Api.Reply sandbox(String volume, String mode) {
    return api.post("/v1/sandboxes", body(profile, mount(volume, mode)), "Prefer", "wait=60");
  }

  private String ready(String volume, String mode) {
    Api.Reply reply = sandbox(volume, mode);
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    return reply.field("/id");
  }

  private static void refused(Api.Reply reply, int status, String code, String... detail) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(status);
    assertThat(reply.code()).isEqualTo(code);
    assertThat(reply.field("/detail")).contains(detail);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{}|field 'name' is missing",
        "{'name': 'v'}|field 'size' is missing: a size, such as 1GiB",
        "{'name': 7, 'size': '1Gi'}|field 'name' is 7",
        "{'name': '', 'size': '1Gi'}|must be the name of a volume: 1 to 63",
        "{'name': 'A', 'size': '1Gi'}|field 'name': \"A\" must be the name of a volume",
        "{'name': '-a', 'size': '1Gi'}|must be the name of a volume",
        "{'name': 'a/b', 'size': '1Gi'}|must be the name of a volume",
        "{'name': '../a', 'size': '1Gi'}|must be the name of a volume",
        "{'name': 'a\\u0000', 'size': '1Gi'}|must be the name of a volume",
        "{'name': 'a234567890123456789012345678901234567890123456789012345678901234', 'size':"
            + " '1Gi'}|must be the name of a volume",
        "{'name': 'v', 'size': '0'}|field 'size' is \"0\"; it must be a size",
        "{'name': 'v', 'size': '-1Gi'}|it must be a size",
        "{'name': 'v', 'size': '1G'}|it must be a size",
        "{'name': 'v', 'size': '1.5Gi'}|it must be a size",
        "{'name': 'v', 'size': 'much'}|it must be a size",
        "{'name': 'v', 'size': true}|it must be a size",
        "{'name': 'v', 'size': '15Mi'}|field 'size': \"15Mi\" must be from 16Mi to 16Ti",
        "{'name': 'v', 'size': '17Ti'}|must be from 16Mi to 16Ti",
        "{'name': 'v', 'size': '9999999999999999Ti'}|must be from 16Mi to 16Ti",
        "{'name': 'v', 'size': 7}|field 'size' is 7; it must be a whole number from 16777216",
        "{'name': 'v', 'size': 1.5}|field 'size' is 1.5; it must be a whole number",
        "{'name': 'v', 'size': '16Mi', 'extension': 'nsjail'}|field 'extension' is \"nsjail\"; it"
            + " must be the id of a backend",
        "{'name': 'v', 'size': '16Mi', 'extension': 'ext.absent'}|field 'extension': ext.absent"
            + " keeps no volumes; those that do are [ext.faulty]",
        "{'name': 'v', 'size': '16Mi', 'extension': 'ext.process'}|ext.process keeps no volumes",
        "{'name': 'v', 'size': '16Mi', 'extension': 'ext.faulty', 'host': 'nowhere'}|field 'host':"
            + " there is no host 'nowhere' of ext.faulty",
        "{'name': 'v', 'size': '16Mi', 'host': 'nowhere'}|needs 'extension', the backend",
        "{'name': 'v', 'size': '16Mi', 'extension': 'ext.faulty', 'profile': 'local'}|field"
            + " 'profile': \"local\" goes neither with",
        "{'name': 'v', 'size': '16Mi', 'profile': 'absent'}|there is no profile 'absent'",
        "{'name': 'v', 'size': '16Mi', 'driver': 'nfs'}|unknown fields '[driver]'",
      })
  void aWrongFieldIsNamed(String body, String expected) {
    Api.Reply reply = api.post("/v1/volumes", body.replace('\'', '"'));
    refused(reply, 400, "VALIDATION", expected);
    assertThat(api.get("/v1/volumes").json().path("items")).isEmpty();
  }

  @Test
  void whatIsMadeIsShownListedAndRemoved() throws IOException {
    List<String> names = new ArrayList<>();
    for (String size : List.of("16777216", "16MiB", "16384Ki")) {
      String name = unique();
      Api.Reply made = make(name, size);
      assertThat(made.status()).as(made.text()).isEqualTo(201);
      assertThat(made.headers().firstValue("Location")).hasValue("/v1/volumes/" + name);
      assertThat(made.json().path("size_bytes").asLong()).isEqualTo(16L << 20);
      names.add(name);
    }
    Api.Reply shown = api.get("/v1/volumes/" + names.getFirst());
    assertThat(shown.field("/state")).isEqualTo("ready");
    assertThat(shown.field("/extension_id")).isEqualTo("ext.faulty");
    assertThat(shown.field("/used_bytes")).isEqualTo("0");
    assertThat(shown.json().path("sandboxes")).isEmpty();
    assertThat(files()).hasSize(3).noneMatch(names::contains);

    List<String> listed = new ArrayList<>();
    String cursor = "";
    do {
      Api.Reply page = api.get("/v1/volumes?limit=1" + cursor);
      page.json().path("items").forEach(item -> listed.add(item.path("name").asText()));
      JsonNode next = page.json().path("next_cursor");
      cursor = next.isTextual() ? "&cursor=" + next.asText() : "";
    } while (!cursor.isEmpty());
    Collections.sort(names);
    assertThat(listed).isEqualTo(names);

    refused(make(names.getFirst(), "16Mi"), 409, "INVALID_STATE", "exists already");
    assertThat(api.delete("/v1/volumes/" + names.getFirst()).status()).isEqualTo(204);
    refused(api.delete("/v1/volumes/" + names.getFirst()), 404, "NOT_FOUND", names.getFirst());
    refused(api.get("/v1/volumes/" + names.getFirst()), 404, "NOT_FOUND", names.getFirst());
    assertThat(files()).hasSize(2);
  }

  private List<String> files() throws IOException {
    if (!Files.exists(faulty.volumes())) {
      return List.of();
    }
    try (Stream<Path> all = Files.list(faulty.volumes())) {
      return all.map(file -> file.getFileName().toString()).toList();
    }
  }

  @Test
  void theQuotaIsExactHoweverManyAskAtOnce() {
    List<Api.Reply> replies = atOnce(MOST + 6, () -> make(unique(), "16Mi"));
    assertThat(replies.stream().filter(reply -> reply.status() == 201)).hasSize(MOST);
    for (Api.Reply reply : replies.stream().filter(one -> one.status() != 201).toList()) {
      refused(reply, 429, "QUOTA_EXCEEDED", "the tenant holds %d volumes".formatted(MOST));
      assertThat(reply.json().path("limit").asInt()).isEqualTo(MOST);
    }
    tidy();
    List<Api.Reply> large = atOnce(4, () -> make(unique(), "400Mi"));
    assertThat(large.stream().filter(reply -> reply.status() == 201)).hasSize(2);
    refused(make(unique(), "1Gi"), 429, "QUOTA_EXCEEDED", "bytes");
    assertThat(make(unique(), "224Mi").status()).isEqualTo(201);
    refused(make(unique(), "16Mi"), 429, "QUOTA_EXCEEDED", "they would exceed the 1073741824");
  }

  private static List<Api.Reply> atOnce(int number, Callable<Api.Reply> call) {
    try (ExecutorService threads = Executors.newFixedThreadPool(number)) {
      return threads.invokeAll(Collections.nCopies(number, call)).stream()
          .map(VolumesRestTest::got)
          .toList();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  private static Api.Reply got(Future<Api.Reply> reply) {
    try {
      return reply.get();
    } catch (InterruptedException | ExecutionException e) {
      throw new IllegalStateException(e);
    }
  }

  @Test
  void whatIsInUseStaysAndSaysWhoHasIt() {
    String volume = made();
    String writer = ready(volume, "rw");
    Api.Reply refused = sandbox(volume, "rw");
    refused(refused, 409, "VOLUME_IN_USE", writer, "has it for writing");
    assertThat(refused.field("/sandbox_id")).isEqualTo(writer);
    assertThat(refused.field("/volume")).isEqualTo(volume);
    refused(sandbox(volume, "ro"), 409, "VOLUME_IN_USE", writer);
    Api.Reply kept = api.delete("/v1/volumes/" + volume);
    refused(kept, 409, "VOLUME_IN_USE", writer);
    Api.Reply again =
        api.post("/v1/sandboxes/" + writer + "/recreate", "", "If-Match", "1", "Prefer", "wait=60");
    assertThat(again.status()).as(again.text()).isEqualTo(201);
    assertThat(api.get("/v1/volumes/" + volume).field("/sandboxes/0/sandbox_id")).isEqualTo(writer);
    assertThat(api.delete("/v1/sandboxes/" + writer, "Prefer", "wait=60").status()).isEqualTo(200);
    assertThat(api.get("/v1/volumes/" + volume).json().path("sandboxes")).isEmpty();
    assertThat(api.delete("/v1/volumes/" + volume).status()).isEqualTo(204);
  }

  @Test
  void severalReadAndNobodyWritesMeanwhile() {
    String volume = made();
    List<Api.Reply> readers = atOnce(3, () -> sandbox(volume, "ro"));
    assertThat(readers).extracting(Api.Reply::status).containsOnly(201);
    refused(sandbox(volume, "rw"), 409, "VOLUME_IN_USE", "reads it, so none may write");
    assertThat(api.get("/v1/volumes/" + volume).json().path("sandboxes")).hasSize(3);
  }

  @Test
  void ofManyWritersAtOnceOneGetsIt() {
    String volume = made();
    List<Api.Reply> replies = atOnce(6, () -> sandbox(volume, "rw"));
    List<Api.Reply> got = replies.stream().filter(reply -> reply.status() == 201).toList();
    assertThat(got).hasSize(1);
    for (Api.Reply reply : replies.stream().filter(one -> one.status() != 201).toList()) {
      refused(reply, 409, "VOLUME_IN_USE", got.getFirst().field("/id"));
    }
  }

  @Test
  void aCreateThatFailsHoldsNothingAndTheNextOneWaitsForWhatItLeft() {
    String volume = made();
    faulty.always("provision", Fault.LOST_ANSWER);
    Api.Reply failed = sandbox(volume, "rw");
    assertThat(failed.status()).as(failed.text()).isEqualTo(503);
    faulty.sound();
    String next = ready(volume, "rw");
    Api.Reply before = api.get("/v1/sandboxes/" + failed.field("/sandbox_id"));
    assertThat(before.field("/cleanup")).as(before.text()).isEqualTo("done");
    Api.Reply again =
        api.post("/v1/sandboxes/" + failed.field("/sandbox_id") + "/recreate", "", "If-Match", "1");
    refused(again, 409, "VOLUME_IN_USE", next);
  }

  @Test
  void whatCannotBeMadeLeavesNothing() throws IOException {
    String name = unique();
    faulty.always("ensureVolume", Fault.CAPACITY);
    refused(make(name, "16Mi"), 503, "CAPACITY", name, "there is no room");
    assertThat(api.get("/v1/volumes/" + name).status()).isEqualTo(404);
    faulty.always("ensureVolume", Fault.LOST_ANSWER);
    refused(make(name, "16Mi"), 503, "UNAVAILABLE", "the answer was lost");
    assertThat(api.get("/v1/volumes/" + name).status()).isEqualTo(404);
    assertThat(files()).isEmpty();
    faulty.sound();
    assertThat(make(name, "16Mi").status()).isEqualTo(201);
  }

  @Test
  void aRemovalIsTriedUntilItIsDone() throws IOException {
    String volume = made();
    faulty.always("removeVolume", Fault.LOST_REQUEST);
    Api.Reply later = api.delete("/v1/volumes/" + volume);
    assertThat(later.status()).isEqualTo(202);
    assertThat(later.field("/state")).isEqualTo("removing");
    assertThat(later.field("/failure/code")).isEqualTo("UNAVAILABLE");
    refused(make(volume, "16Mi"), 409, "INVALID_STATE", "exists already, and is removing");
    refused(sandbox(volume, "ro"), 409, "INVALID_STATE", "is removing; it must be ready");
    assertThat(api.delete("/v1/volumes/" + volume).status()).isEqualTo(202);
    assertThat(files()).hasSize(1);
    faulty.sound();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> api.get("/v1/volumes/" + volume).status() == 404);
    assertThat(files()).isEmpty();
  }

  @Test
  void whatIsForgottenGoesWithTheSweepOnceItsBackendIsBack() throws IOException {
    String kept = made();
    String volume = made();
    faulty.always("removeVolume", Fault.LOST_REQUEST);
    assertThat(api.delete("/v1/volumes/" + volume + "?forget=true").status()).isEqualTo(204);
    assertThat(api.get("/v1/volumes/" + volume).status()).isEqualTo(404);
    assertThat(files()).hasSize(2);
    faulty.sound();
    await().atMost(Duration.ofSeconds(60)).until(() -> files().size() == 1);
    assertThat(api.get("/v1/volumes/" + kept).field("/used_bytes")).isEqualTo("0");
  }

  @Test
  void aSandboxOfAnotherBackendDoesNotGetIt() throws IOException {
    String volume = made();
    String elsewhere =
        InProcess.profile("extension: ext.process\ncaller_mounts: {modes: [volume]}\n" + SLACK);
    Api.Reply refused = api.post("/v1/sandboxes", body(elsewhere, mount(volume, "rw")));
    refused(
        refused,
        422,
        "NO_CANDIDATE",
        "mounts: volume '%s' is kept by ext.faulty on host ".formatted(volume));
    assertThat(refused.field("/profile_key")).isEqualTo("mounts");
  }

  @Test
  void aProfileMountsTheVolumeOfTheSandboxsTenant() throws IOException {
    String volume = unique();
    String mounting =
        InProcess.profile(
            "extension: ext.faulty\nmounts: [{volume: %s, mount_path: /v, mode: rw}]\n"
                    .formatted(volume)
                + SLACK);
    refused(
        api.post("/v1/sandboxes", body(mounting, "")),
        400,
        "VALIDATION",
        "mounts: there is no volume '%s'".formatted(volume));
    assertThat(make(volume, "16Mi").status()).isEqualTo(201);
    Api.Reply made = api.post("/v1/sandboxes", body(mounting, ""), "Prefer", "wait=60");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    refused(sandbox(volume, "ro"), 409, "VOLUME_IN_USE", made.field("/id"));

    Api other = otherTenant();
    refused(other.get("/v1/volumes/" + volume), 404, "NOT_FOUND", volume);
    refused(other.delete("/v1/volumes/" + volume), 404, "NOT_FOUND", volume);
    refused(
        other.post("/v1/sandboxes", body(profile, mount(volume, "ro"))),
        400,
        "VALIDATION",
        "mount at '/data': there is no volume '%s'".formatted(volume));
    refused(other.delete("/v1/volumes/" + volume + "?forget=true"), 403, "FORBIDDEN", "operator");
    Api.Reply own =
        other.post("/v1/volumes", "{\"name\": \"%s\", \"size\": \"16Mi\"}".formatted(volume));
    assertThat(own.status()).as(own.text()).isEqualTo(201);
    assertThat(other.delete("/v1/volumes/" + volume).status()).isEqualTo(204);
  }

  private Api otherTenant() {
    String tenant = "t-" + UUID.randomUUID();
    assertThat(api.post("/v1/tenants", "{\"name\": \"%s\"}".formatted(tenant)).status())
        .isEqualTo(201);
    Api.Reply key =
        api.post(
            "/v1/keys",
            "{\"name\": \"k\", \"role\": \"consumer\", \"tenant\": \"%s\"}".formatted(tenant));
    return api.withKey(key.field("/key"));
  }
}
