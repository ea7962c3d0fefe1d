package dev.sandboxer.platform.api.archive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.platform.testing.Restricted;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import dev.sandboxer.testing.faulty.Fault;
import dev.sandboxer.testing.faulty.FaultyBackend;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code /v1/archives}, and sandboxes that are made of archives and of folders. */
@QuarkusTest
@TestProfile(Restricted.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ArchivesRestTest {

  private static final String PATH = "/v1/archives";
  private static final int MIB = 1 << 20;
  private static final Duration PATIENCE = Duration.ofMinutes(1);
  private static final String ABSENT = "sha256:" + "0".repeat(64);

  @Inject Jdbi jdbi;

  private final Api api = InProcess.api();
  private final FaultyBackend faulty = new FaultyBackend("faulty", InProcess.home());
  private final Path folder = Restricted.MOUNTS.resolve("projects").resolve("app");
  private String profile = "";

  @BeforeAll
  void makeProfile() throws IOException {
    profile =
        InProcess.profile(
            """
            extension: ext.faulty
            best_effort: [uid, memory, pids, cpus, workspace, tmp, open_files]
            inputs: {project: {type: string}}
            options: {project: "${inputs.project}"}
            """);
  }

  @AfterEach
  void tidy() throws IOException {
    faulty.sound();
    api.destroyAllOfAllTenants();
    for (JsonNode one : api.get(PATH).json().path("items")) {
      await()
          .atMost(PATIENCE)
          .until(() -> api.delete(PATH + "/" + one.path("digest").asText()).status() == 204);
    }
    remove(folder);
  }

  private static void remove(Path folder) throws IOException {
    if (Files.exists(folder)) {
      try (Stream<Path> all = Files.walk(folder)) {
        for (Path path : all.sorted((one, other) -> other.compareTo(one)).toList()) {
          Files.delete(path);
        }
      }
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  private static String digest(byte[] bytes) {
    try {
      return "sha256:"
          + HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private Api.Reply upload(String query, byte[] bytes) {
    return api.send("POST", PATH + query, bytes, "Content-Type", "application/octet-stream");
  }

  private String uploaded(byte[] bytes) {
    Api.Reply reply = upload("", bytes);
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    return reply.field("/digest");
  }

  private Api.Reply create(String project, String... headers) {
    List<String> all = new ArrayList<>(List.of("Prefer", "wait=60"));
    all.addAll(List.of(headers));
    return api.post(
        "/v1/sandboxes",
        """
        {"profile": "%s", "consumer": {"actor": "adm", "project": "p"}, "inputs": {"project": "%s"}}
        """
            .formatted(profile, project),
        all.toArray(String[]::new));
  }

  private String ready(String project) {
    Api.Reply reply = create(project);
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    return reply.field("/id");
  }

  private void recreate(String id, int generation) {
    Api.Reply reply =
        api.post(
            "/v1/sandboxes/" + id + "/recreate",
            "",
            "If-Match",
            "" + generation,
            "Prefer",
            "wait=60");
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
  }

  private static void refused(Api.Reply reply, int status, String code, String... detail) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(status);
    assertThat(reply.code()).isEqualTo(code);
    for (String part : detail) {
      assertThat(reply.field("/detail")).contains(part);
    }
  }

  /** Complete or not. */
  private int rows() {
    return jdbi.withHandle(
        open -> open.createQuery("select count(*) from archive").mapTo(Integer.class).one());
  }

  @Test
  void whatIsUploadedIsShownListedAndRemoved() {
    List<String> digests = new ArrayList<>();
    for (String text : List.of("a", "b", "c")) {
      Api.Reply made = upload("?digest=" + digest(bytes(text)), bytes(text));
      assertThat(made.status()).as(made.text()).isEqualTo(201);
      assertThat(made.field("/digest")).isEqualTo(digest(bytes(text)));
      assertThat(made.headers().firstValue("Location")).hasValue(PATH + "/" + digest(bytes(text)));
      assertThat(made.json().path("size_bytes").asInt()).isEqualTo(1);
      assertThat(made.json().path("in_use").asBoolean(true)).isFalse();
      digests.add(made.field("/digest"));
    }
    assertThat(uploaded(bytes("a"))).isEqualTo(digests.getFirst());
    assertThat(rows()).isEqualTo(3);
    List<String> listed = new ArrayList<>();
    String cursor = "";
    do {
      Api.Reply page = api.get(PATH + "?limit=1" + cursor);
      page.json().path("items").forEach(item -> listed.add(item.path("digest").asText()));
      JsonNode next = page.json().path("next_cursor");
      cursor = next.isTextual() ? "&cursor=" + next.asText() : "";
    } while (!cursor.isEmpty());
    assertThat(listed).isEqualTo(digests.stream().sorted().toList());
    refused(api.get(PATH + "?cursor=x"), 400, "VALIDATION", "cursor 'x'");

    String first = PATH + "/" + digests.getFirst();
    assertThat(api.get(first).field("/digest")).isEqualTo(digests.getFirst());
    assertThat(api.delete(first).status()).isEqualTo(204);
    refused(api.get(first), 404, "NOT_FOUND");
    refused(api.delete(first), 404, "NOT_FOUND");
    refused(api.delete(PATH + "/x"), 404, "NOT_FOUND");
    assertThat(rows()).isEqualTo(2);
  }

  @Test
  void whatDoesNotArriveAsItWasMeantLeavesNothing() throws Exception {
    refused(upload("", new byte[0]), 400, "VALIDATION", "the archive is empty");
    refused(upload("?digest=x", bytes("a")), 400, "VALIDATION", "digest 'x' must be sha256:");
    refused(
        upload("?digest=" + ABSENT, bytes("a")),
        400,
        "VALIDATION",
        digest(bytes("a")) + ", not " + ABSENT);
    refused(api.post(PATH, "{}"), 415, "UNSUPPORTED_MEDIA_TYPE", "application/octet-stream");
    assertThat(api.withKey("").send("POST", PATH, bytes("a")).status()).isEqualTo(401);
    refused(upload("", new byte[64 * MIB + 1]), 413, "TOO_LARGE");
    HttpResponse<String> chunked = chunked(new byte[64 * MIB + 1]);
    assertThat(chunked.statusCode()).as(chunked.body()).isEqualTo(413);
    assertThat(rows()).isZero();

    broken("Content-Length: 3000000\r\n\r\n" + "x".repeat(2 * MIB));
    broken("Transfer-Encoding: chunked\r\n\r\n200000\r\n" + "x".repeat(0x200000) + "\r\n5\r\nab");
    assertThat(api.get(PATH).json().path("items")).isEmpty();
  }

  /** Without a length in its head. */
  private HttpResponse<String> chunked(byte[] bytes) throws Exception {
    HttpRequest request =
        HttpRequest.newBuilder(api.base().resolve(PATH))
            .header("Authorization", "Bearer " + api.key())
            .header("Content-Type", "application/octet-stream")
            .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(bytes)))
            .build();
    try (HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      return client.send(request, BodyHandlers.ofString());
    }
  }

  /** A client that is gone once a part of its archive is stored. */
  private void broken(String rest) throws IOException {
    begun(rest).close();
    await().atMost(PATIENCE).until(() -> rows() + parts() == 0);
  }

  /** A client whose archive is stored in part. */
  private Socket begun(String rest) throws IOException {
    Socket socket = new Socket(api.base().getHost(), api.base().getPort());
    socket
        .getOutputStream()
        .write(
            bytes(
                "POST %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\nContent-Type: application/octet-stream\r\n%s"
                    .formatted(PATH, api.base().getAuthority(), api.key(), rest)));
    await().atMost(PATIENCE).until(() -> parts() > 0);
    return socket;
  }

  /** As after the death of the node that took it. A client that is only too slow gets a 408. */
  @Test
  void whatIsNeverCompletedIsRemoved() throws IOException {
    try (Socket socket =
        begun("Content-Length: %d\r\n\r\n%s".formatted(2 * MIB, "x".repeat(MIB)))) {
      jdbi.useHandle(
          open ->
              open.execute(
                  "update archive set keep_until = clock_timestamp() - interval '1 s' where sha256 is null"));
      await().atMost(PATIENCE).until(() -> rows() + parts() == 0);
      socket.getOutputStream().write(new byte[MIB]);
      assertThat(new String(socket.getInputStream().readNBytes(12), UTF_8))
          .isEqualTo("HTTP/1.1 408");
    }
    assertThat(rows()).isZero();
  }

  private int parts() {
    return jdbi.withHandle(
        open -> open.createQuery("select count(*) from archive_chunk").mapTo(Integer.class).one());
  }

  @Test
  void aSandboxIsMadeOfAnUploadAndAgainOfTheSame() throws IOException {
    byte[] bytes = new byte[3 * MIB + 5];
    new Random(7).nextBytes(bytes);
    String digest = uploaded(bytes);
    String id = ready(digest);
    assertThat(faulty.archive(id, 1)).hasBinaryContent(bytes);
    Api.Reply shown = api.get(PATH + "/" + digest);
    assertThat(shown.json().path("in_use").asBoolean()).isTrue();
    Api.Reply kept = api.delete(PATH + "/" + digest);
    refused(kept, 409, "INVALID_STATE", id);
    assertThat(kept.field("/sandbox_id")).isEqualTo(id);
    recreate(id, 1);
    assertThat(faulty.archive(id, 2)).hasBinaryContent(bytes);
    assertThat(api.delete("/v1/sandboxes/" + id, "Prefer", "wait=60").status()).isEqualTo(200);
    assertThat(api.delete(PATH + "/" + digest).status()).isEqualTo(204);
  }

  @Test
  void anArchiveThatTheTenantDoesNotHave() {
    refused(create(ABSENT), 400, "VALIDATION", "options.project", ABSENT, "POST /v1/archives");
    refused(create("sha256:x"), 400, "VALIDATION", "no archive 'sha256:x'");
    String digest = uploaded(bytes("ours"));
    Api other = new Door(api).ofNewTenant("archives-" + UUID.randomUUID()).api();
    Api.Reply theirs =
        other.post(
            "/v1/sandboxes",
            """
            {"profile": "%s", "consumer": {"actor": "adm", "project": "p"}, "inputs": {"project": "%s"}}
            """
                .formatted(profile, digest));
    refused(theirs, 400, "VALIDATION", "the tenant has no archive");
    assertThat(other.get(PATH + "/" + digest).status()).isEqualTo(404);
    assertThat(other.delete(PATH + "/" + digest).status()).isEqualTo(404);
    assertThat(other.get(PATH).json().path("items")).isEmpty();
    Api narrowed = new Door(api).withNewKey("consumer", ", \"scopes\": [\"thread:mine\"]").api();
    refused(narrowed.get(PATH), 403, "FORBIDDEN", "archives are beyond them");
  }

  private void write(String name, String text) throws IOException {
    Files.createDirectories(folder.resolve(name).getParent());
    Files.writeString(folder.resolve(name), text);
  }

  private static List<String> entries(Path tar) throws IOException {
    List<String> entries = new ArrayList<>();
    try (TarArchiveInputStream in = new TarArchiveInputStream(Files.newInputStream(tar))) {
      for (TarArchiveEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        entries.add(entry.getName() + "=" + new String(in.readAllBytes(), UTF_8));
      }
    }
    return entries.stream().sorted().toList();
  }

  @Test
  void aSandboxIsMadeOfAFolderAndAgainOfWhatThatWas() throws IOException {
    write("compose.yaml", "services");
    write("data/one", "1");
    Files.createSymbolicLink(folder.resolve("out"), Path.of("/etc/passwd"));
    String id = create(folder.toString(), "Idempotency-Key", "folder").field("/id");
    List<String> packed = List.of("compose.yaml=services", "data/=", "data/one=1");
    assertThat(entries(faulty.archive(id, 1))).isEqualTo(packed);
    write("data/one", "2");
    recreate(id, 1);
    assertThat(entries(faulty.archive(id, 2))).isEqualTo(packed);
    remove(folder);
    recreate(id, 2);
    assertThat(entries(faulty.archive(id, 3))).isEqualTo(packed);
    assertThat(create(folder.toString(), "Idempotency-Key", "folder").field("/id")).isEqualTo(id);
    refused(create(folder.toString()), 400, "VALIDATION", "options.project: ", "is not there");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/etc", "/srv/elsewhere", "relative", "%s/../app", "%s-next", ""})
  void aFolderThatTheTenantMayNotUse(String source) throws IOException {
    write("compose.yaml", "services");
    refused(create(source.formatted(folder)), 400, "VALIDATION", "options.project");
    assertThat(rows()).isZero();
  }

  @Test
  void aFolderThatIsTooLarge() throws IOException {
    write("large", "x".repeat(64 * MIB));
    refused(create(folder.toString()), 400, "VALIDATION", "an archive has at most 64 MiB");
    assertThat(rows()).isZero();
  }

  @Test
  void aSessionAndABoxAreMadeOfThemAsWell() throws IOException {
    write("compose.yaml", "services");
    String inputs =
        "\"profile\": \"%s\", \"inputs\": {\"project\": \"%s\"}".formatted(profile, folder);
    String session =
        Door.ok(new Door(api).full("thread", Door.thread(), ", " + inputs))
            .at("/sandbox/id")
            .asText();
    Api.Reply box =
        api.post(
            "/v1/boxes",
            "{\"session_id\": \"%s\", %s}".formatted(UUID.randomUUID(), inputs),
            "Prefer",
            "wait=60");
    for (String sandbox : List.of(session, box.field("/sandbox_id"))) {
      await().atMost(PATIENCE).until(() -> Files.exists(faulty.archive(sandbox, 1)));
      assertThat(entries(faulty.archive(sandbox, 1))).containsExactly("compose.yaml=services");
    }
    assertThat(api.delete("/v1/boxes/" + box.field("/id")).status()).isLessThan(300);
    assertThat(rows()).isEqualTo(1);
  }

  @Test
  void aTenantHasNoMoreThanItMay() {
    byte[] one = new byte[40 * MIB];
    String digest = uploaded(one);
    byte[] other = one.clone();
    other[0] = 1;
    Api.Reply refused = upload("", other);
    refused(refused, 429, "QUOTA_EXCEEDED", "the tenant's archives would have");
    assertThat(refused.field("/setting")).isEqualTo("SANDBOXER_MAX_ARCHIVE_MIB");
    assertThat(rows()).isEqualTo(1);
    assertThat(api.delete(PATH + "/" + digest).status()).isEqualTo(204);
    assertThat(uploaded(other)).isEqualTo(digest(other));
  }

  @Test
  void whatNobodyNeedsAnyMoreIsRemoved() {
    String used = uploaded(bytes("used"));
    String unused = uploaded(bytes("unused"));
    String recent = uploaded(bytes("recent"));
    String id = ready(used);
    faulty.always("provision", Fault.CAPACITY);
    Api.Reply failed = create(used);
    assertThat(failed.status()).as(failed.text()).isGreaterThanOrEqualTo(400);
    aged(used);
    aged(unused);
    await().atMost(PATIENCE).until(() -> api.get(PATH + "/" + unused).status() == 404);
    assertThat(api.get(PATH + "/" + used).status()).isEqualTo(200);
    api.destroyAll();
    await().atMost(PATIENCE).until(() -> api.get(PATH + "/" + used).status() == 404);
    assertThat(api.get(PATH + "/" + recent).status()).isEqualTo(200);
    assertThat(id).startsWith("sb_");
  }

  private void aged(String digest) {
    jdbi.useHandle(
        open ->
            open.createUpdate(
                    "update archive set keep_until = clock_timestamp() - interval '1 s' where sha256 = :sha256")
                .bind("sha256", HexFormat.of().parseHex(digest.substring("sha256:".length())))
                .execute());
  }
}
