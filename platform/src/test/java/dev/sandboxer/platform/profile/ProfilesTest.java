package dev.sandboxer.platform.profile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.Consumer;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** People's own profiles: inputs, layers, limits, reload, what becomes of running sandboxes. */
@QuarkusTest
@TestProfile(InProcess.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProfilesTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private final Api api = InProcess.api();
  private final Set<Path> written = new TreeSet<>();

  @AfterAll
  void removeFiles() throws IOException {
    for (Path file : written) {
      Files.deleteIfExists(file);
    }
  }

  @Test
  void inputsReachTheSandboxAndWrongOnesAreRefused() {
    String greeter = unused("greeter");
    profile(
        greeter,
        """
        id: profile.%s
        version: 1
        extension: ext.process
        inputs:
          who: {type: string, pattern: "[a-z ]{1,20}", description: Whom to greet}
          files: {type: integer, default: 99}
          loud: {type: boolean, default: false}
          size: {type: enum, values: [64Mi, 96Mi], default: 64Mi}
        env: {GREETING: "hello ${inputs.who}, $${HOME} stays", LOUD: "${inputs.loud}"}
        resources: {open_files: "${inputs.files}", tmp: "${inputs.size}", memory: 1Gi}
        best_effort: [uid, memory, pids, cpus, workspace, tmp, open_files]
        """
            .formatted(greeter));
    String id =
        create(greeter, "\"inputs\": {\"who\": \"big world\", \"files\": 123, \"size\": \"96Mi\"}");
    assertThat(api.access(id).exec("sh", "-c", "echo $GREETING; echo $LOUD").field("/stdout"))
        .isEqualTo("hello big world, ${HOME} stays\nfalse\n");

    assertThat(refusal(greeter, "\"inputs\": {}"))
        .contains("profile." + greeter + "@1", "inputs.who: it is missing (string: Whom to greet)");
    assertThat(refusal(greeter, "\"inputs\": {\"whom\": \"x\", \"who\": \"a\"}"))
        .contains("inputs.whom", "did you mean 'who'?");
    assertThat(refusal(greeter, "\"inputs\": {\"who\": \"A;rm\"}"))
        .contains("inputs.who: 'A;rm' must match [a-z ]{1,20}");
    assertThat(refusal(greeter, "\"inputs\": {\"who\": \"a\", \"size\": \"64mi\"}"))
        .contains("inputs.size", "did you mean '64Mi'?");
    assertThat(refusal(greeter, "\"inputs\": {\"who\": \"a\", \"files\": 0}"))
        .contains(greeter + ".yaml:10: resources.open_files: '0' must be a whole number from 1");
    assertThat(refusal("local", "\"inputs\": {\"who\": \"a\"}")).contains("takes no inputs");
  }

  @Test
  void aFileThatWasJustWrittenIsWaitedForAndAWrongOneIsTold() {
    String fresh = unused("fresh");
    write(fresh, plain(fresh, 1, ""));
    assertThat(create(fresh, "\"labels\": {}")).startsWith("sb_");
    String wrong = unused("wrong");
    write(wrong, "id: profile.%s\nversion: 1\nextention: ext.process\n".formatted(wrong));
    assertThat(refusal(wrong, "\"labels\": {}"))
        .contains("'%1$s' cannot be used: %1$s.yaml:".formatted(wrong))
        .doesNotContain("there is no profile");
  }

  @Test
  void oneWhoseFileIsGoneCanBeRetiredOnceNobodyUsesIt() throws IOException {
    String old = unused("old");
    profile(old, plain(old, 1, ""));
    Path file = InProcess.home().resolve("profiles").resolve(old + ".yaml");
    Api.Reply inFile = api.delete("/v1/profiles/" + old);
    assertThat(inFile.status()).as(inFile.text()).isEqualTo(409);
    assertThat(inFile.field("/detail")).contains(old + ".yaml", "remove the file first");

    String id = create(old, "\"labels\": {}");
    String text = Files.readString(file);
    Files.delete(file);
    Api.Reply used = api.delete("/v1/profiles/profile." + old);
    assertThat(used.status()).as(used.text()).isEqualTo(409);
    assertThat(used.field("/detail")).contains("is used by 1 sandbox");
    Api consumer = new Door(api).withNewKey("consumer", "").api();
    assertThat(consumer.delete("/v1/profiles/" + old).status()).isEqualTo(403);

    assertThat(api.delete("/v1/sandboxes/" + id, "Prefer", "wait=60").field("/state"))
        .isEqualTo("destroyed");
    assertThat(api.delete("/v1/profiles/" + old).status()).isEqualTo(204);
    assertThat(api.get("/v1/profiles/" + old).status()).isEqualTo(404);
    assertThat(api.get("/v1/profiles").text()).doesNotContain(old);
    assertThat(refusal(old + "@1", "\"labels\": {}")).contains("there is no profile");
    assertThat(api.delete("/v1/profiles/" + old).status()).as("again").isEqualTo(404);

    write(old, text);
    assertThat(create(old, "\"labels\": {}")).as("its file brings it back").startsWith("sb_");
  }

  @Test
  void onlyOperatorsSeePathsOfTheHost() throws IOException {
    Path folder = Files.createDirectories(InProcess.home().resolve("seen-by-operators"));
    String mounting = unused("mounting");
    profile(
        mounting,
        plain(
            mounting,
            1,
            "mounts: [{host_path: %s, mount_path: /data, mode: ro}]\n".formatted(folder)));
    Api consumer = new Door(api).withNewKey("consumer", "").api();
    for (String path : List.of("/v1/profiles", "/v1/profiles/" + mounting, "/v1/extensions")) {
      String shown = consumer.get(path).text();
      assertThat(shown).doesNotContain(InProcess.home().toString());
      if (path.startsWith("/v1/profiles")) {
        assertThat(shown).contains("/data");
        assertThat(api.get(path).text()).contains(folder.toString());
      }
    }
  }

  @Test
  void anIdempotencyKeyCoversTheInputs() {
    String keyed = unused("keyed");
    profile(keyed, plain(keyed, 1, "inputs: {n: {type: integer}}\nenv: {N: \"${inputs.n}\"}\n"));
    String one = body(keyed, "\"inputs\": {\"n\": 1}");
    String[] headers = {"Idempotency-Key", keyed, "Prefer", "wait=60"};
    Api.Reply first = api.post("/v1/sandboxes", one, headers);
    Api.Reply again = api.post("/v1/sandboxes", one, headers);
    assertThat(first.status()).as(first.text()).isEqualTo(201);
    assertThat(again.field("/id")).isEqualTo(first.field("/id"));
    Api.Reply other =
        api.post("/v1/sandboxes", body(keyed, "\"inputs\": {\"n\": 2}"), "Idempotency-Key", keyed);
    assertThat(other.code()).isEqualTo("IDEMPOTENCY_KEY_REUSED");
  }

  @Test
  void layersMergeKeyByKey() {
    String base = unused("base");
    profile(base, plain(base, 1, "env: {A: base, B: base}\nresources: {pids: 77, tmp: 8Mi}\n"));
    String child = unused("child");
    profile(
        child,
        """
        id: profile.%s
        version: 1
        extends: %s@1
        env: {B: child, C: child}
        resources: {tmp: 16Mi}
        """
            .formatted(child, base));
    Api.Reply shown = api.get("/v1/profiles/" + child);
    assertThat(shown.field("/extends/0")).isEqualTo("profile." + base + "@1");
    assertThat(shown.field("/resources/pids")).isEqualTo("77");
    assertThat(shown.field("/document/resources/tmp")).isEqualTo("16Mi");
    assertThat(shown.field("/yaml")).contains("idle: 15m", "pids: 77").doesNotContain("extends");
    String inside = create(child, "\"labels\": {}");
    assertThat(api.access(inside).exec("sh", "-c", "echo $A $B $C").field("/stdout"))
        .isEqualTo("base child child\n");
  }

  @Test
  void mistakesNameTheLayersFile() {
    String base = unused("base");
    write(base, plain(base, 1, ""));
    String looped = unused("looped");
    write(looped, layer(looped, looped + "@1", ""));
    String ring = unused("ring");
    String gnir = unused("gnir");
    write(ring, layer(ring, gnir + "@1", ""));
    write(gnir, layer(gnir, ring + "@1", ""));
    String badbase = unused("badbase");
    write(
        badbase,
        "id: profile.%s\nversion: 1\nextension: ext.process\nttl: 30\n".formatted(badbase));
    String onbad = unused("onbad");
    write(onbad, layer(onbad, badbase + "@1", "ttl: 30m\n"));
    String orphan = unused("orphan");
    write(orphan, layer(orphan, base + "@7", ""));
    awaitError(
        looped,
        error ->
            error.isEqualTo(
                "%1$s.yaml:3 extends: it extends itself: profile.%1$s@1 -> profile.%1$s@1"
                    .formatted(looped)));
    awaitError(ring, error -> error.contains(":3 extends: it extends itself: profile."));
    awaitError(onbad, error -> error.startsWith(badbase + ".yaml:4 ttl: '30' must be a duration"));
    awaitError(
        orphan,
        error ->
            error.contains("there is no profile.%s@7; known versions are [1]".formatted(base)));
  }

  private static String layer(String name, String base, String more) {
    return "id: profile.%s\nversion: 1\nextends: %s\n%s".formatted(name, base, more);
  }

  @Test
  void filesAreReadAgainWhenTheyChangeAndRunningSandboxesKeepTheirs() throws IOException {
    String live = unused("live");
    String path = "/v1/profiles/" + live;
    profile(live, plain(live, 1, "env: {V: one}\n"));
    String old = create(live, "\"labels\": {}");
    write(
        live, "id: profile.%s\nversion: 2\nextension: ext.process\nenv: {V: [half".formatted(live));
    awaitError(live, error -> error.startsWith(live + ".yaml:"));
    assertThat(api.get(path).field("/version")).as("the last good one").isEqualTo("1");
    Path draft = Files.writeString(file("." + live + ".swp"), plain(live, 2, "env: {V: two}\n"));
    Files.move(draft, file(live + ".yaml"), StandardCopyOption.ATOMIC_MOVE);
    await().atMost(PATIENCE).until(() -> api.get(path).field("/version").equals("2"));
    assertThat(entry(live).has("error")).isFalse();
    assertThat(api.get(path).json().path("versions").toString()).isEqualTo("[1,2]");
    assertThat(api.get(path + "@1").field("/document/env/V")).isEqualTo("one");
    assertThat(api.access(old).exec("sh", "-c", "echo $V").field("/stdout")).isEqualTo("one\n");
    assertThat(api.get("/v1/sandboxes/" + old).field("/profile_version")).isEqualTo("1");
    String fresh = create(live, "\"labels\": {}");
    assertThat(api.access(fresh).exec("sh", "-c", "echo $V").field("/stdout")).isEqualTo("two\n");

    write(live, plain(live, 2, "env: {V: three}\n"));
    awaitError(live, error -> error.contains(live + ".yaml:2 version:", "raise the version"));
    Api.Reply warned = api.post("/v1/sandboxes", body(live, "\"labels\": {}"), "Prefer", "wait=60");
    assertThat(warned.field("/warnings/0"))
        .contains("version 2 of profile." + live + " was used", "raise the version");
    assertThat(
            api.post("/v1/sandboxes", body(live + "@2", "\"labels\": {}")).json().has("warnings"))
        .as("asked for by its version")
        .isFalse();
    Files.delete(file(live + ".yaml"));
    await().atMost(PATIENCE).until(() -> entry(live).path("source").asText().equals("database"));
    assertThat(api.get(path).field("/document/env/V")).isEqualTo("two");
    String again = create(live, "\"labels\": {}");
    assertThat(api.access(again).exec("true").status()).isEqualTo(200);
  }

  /**
   * The one that is used is older, and would have ended first. The time is longer than a slow
   * machine needs to make the other one.
   */
  @Test
  void aSandboxThatNobodyUsesEndsAndOneThatIsUsedDoesNot() {
    String brief = unused("brief");
    profile(brief, plain(brief, 1, "idle: 6s\n"));
    String used = create(brief, "\"labels\": {}");
    Api.Dataplane inside = api.access(used);
    String silent = create(brief, "\"labels\": {}");
    await()
        .atMost(PATIENCE)
        .until(
            () -> {
              assertThat(inside.get("/metrics").status()).isEqualTo(200);
              return api.get("/v1/sandboxes/" + silent).field("/state").equals("destroyed");
            });
    assertThat(api.get("/v1/sandboxes/" + silent).field("/end_reason")).isEqualTo("idle");
    assertThat(api.get("/v1/sandboxes/" + used).field("/state")).isEqualTo("active");
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/sandboxes/" + used).field("/end_reason").equals("idle"));
  }

  @Test
  void limitsOfTheDataplaneAreShownAndHold() {
    String limited = unused("limited");
    profile(
        limited,
        plain(
            limited,
            1,
            "limits: {processes: 2, json_bytes: 4Ki, exec_output_bytes: 1Ki, watchers: 1}\n"));
    assertThat(api.get("/v1/profiles/" + limited).json().path("limits"))
        .isEqualTo(
            Api.JSON.valueToTree(
                Map.of(
                    "processes", 2, "json_bytes", 4096, "exec_output_bytes", 1024, "watchers", 1)));
    Api.Dataplane inside = api.access(create(limited, "\"labels\": {}"));
    Api.Reply cut = inside.exec("echo", "x".repeat(2000));
    assertThat(cut.field("/stdout")).isEqualTo("x".repeat(1024));
    assertThat(cut.field("/stdout_truncated")).isEqualTo("true");
    refused(inside.exec("echo", "x".repeat(5_000)), 413, "TOO_LARGE", "limits.json_bytes");
    String process = "{\"command\": [\"sleep\", \"1000\"]}";
    assertThat(inside.post("/processes", process).status()).isEqualTo(201);
    assertThat(inside.post("/processes", process).status()).isEqualTo(201);
    refused(inside.post("/processes", process), 429, "PROCESS_LIMIT", "limits.processes");
    refused(inside.exec("true"), 429, "PROCESS_LIMIT", "limits.processes");
  }

  private static void refused(Api.Reply reply, int status, String code, String key) {
    assertThat(reply.status()).as(reply.text()).isEqualTo(status);
    assertThat(reply.code()).isEqualTo(code);
    assertThat(reply.field("/detail")).contains(key);
  }

  @Test
  void mountsThatAProfileCanNotHaveAreRefused() {
    assertThat(
            mistake(
                "mounts: [{host_path: /var/run/docker.sock, mount_path: /var/run/docker.sock}]"))
        .contains("mounts[0].mount_path", "the sandbox's own");
    assertThat(mistake("mounts: [{volume: cache, tmpfs: 1Mi, mount_path: /c}]"))
        .contains("either 'host_path', 'volume' or 'tmpfs'");
  }

  @Test
  void theSchemaIsServedAndLiesBesideTheFiles() throws IOException {
    String schema = Files.readString(Path.of("..", "docs/schema/profile.schema.json"));
    assertThat(api.get("/v1/profiles/schema").text()).isEqualTo(schema);
    assertThat(Files.readString(file("profile.schema.json"))).isEqualTo(schema);
  }

  @Test
  void lintListsEveryMistakeAndStoresNothing() {
    Api.Reply lint = lint("id: profile.linted\nversion: 1\nextention: ext.process\nttl: 30\n");
    assertThat(lint.json().path("valid").asBoolean()).isFalse();
    List<String> found = lint.json().path("problems").findValuesAsText("field");
    assertThat(found).containsExactlyInAnyOrder("", "extention", "ttl");
    assertThat(lint.text()).contains("did you mean 'extension'?");
    assertThat(lint(plain("linted", 1, "")).json().path("valid").asBoolean()).isTrue();
    assertThat(api.get("/v1/profiles/linted").status()).isEqualTo(404);
    Api consumer = new Door(api).withNewKey("consumer", "").api();
    assertThat(consumer.post("/v1/profiles/lint", "{\"yaml\": \"\"}").status()).isEqualTo(403);
  }

  @Test
  void optionsAreForExtensionsThatHaveThem() {
    assertThat(mistake("options: {compose: {project: ./stack}}"))
        .contains("options.compose", "ext.process has no options");
    JsonNode absent =
        lint("id: profile.absent\nversion: 1\nextension: ext.absent\noptions: {a: 1}\n").json();
    assertThat(absent.at("/problems/0/message").asText())
        .contains("ext.absent is not loaded here; loaded are ", "ext.process");
    assertThat(absent.at("/notes/0/field").asText()).isEqualTo("options");
    assertThat(absent.at("/notes/0/message").asText()).contains("ext.absent is not loaded here");
  }

  @Test
  void lintSaysWhatTheLoadedBackendsCannotDo() {
    JsonNode found = lint(plain("strong", 1, "isolation: {level: vm}\n")).json();
    assertThat(found.path("valid").asBoolean()).isFalse();
    assertThat(found.at("/problems/0/field").asText()).isEqualTo("isolation");
    assertThat(found.at("/problems/0/line").asInt()).isEqualTo(5);
    assertThat(found.at("/problems/0/message").asText())
        .contains("level vm: ext.process has [process]");
  }

  private Api.Reply lint(String yaml) {
    return api.post("/v1/profiles/lint", Api.JSON.valueToTree(Map.of("yaml", yaml)).toString());
  }

  /** What lint says of one line added to a plain profile. */
  private String mistake(String line) {
    return lint(plain("mistake", 1, line + "\n")).text();
  }

  /** A name that no profile had: a version never changes, and other classes' are stored as well. */
  private static String unused(String word) {
    return word + "-" + UUID.randomUUID().toString().substring(0, 8);
  }

  private static String plain(String name, int version, String more) {
    return """
        id: profile.%s
        version: %d
        extension: ext.process
        best_effort: [uid, memory, pids, cpus, workspace, tmp, open_files]
        """
            .formatted(name, version)
        + more;
  }

  private void profile(String name, String yaml) {
    write(name, yaml);
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> {
              assertThat(api.get("/v1/profiles/" + name).status()).isEqualTo(200);
              assertThat(entry(name).path("error").toString()).isEmpty();
            });
  }

  private static Path file(String name) {
    return InProcess.home().resolve("profiles").resolve(name);
  }

  private void write(String name, String yaml) {
    try {
      written.add(Files.writeString(file(name + ".yaml"), yaml));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private JsonNode entry(String name) {
    for (JsonNode item : api.get("/v1/profiles").json().path("items")) {
      if (item.path("id").asText().equals("profile." + name)) {
        return item;
      }
    }
    return Api.JSON.createObjectNode();
  }

  /** Waits until a file is listed with this error: it may be read before another one is there. */
  private void awaitError(String name, Consumer<AbstractStringAssert<?>> expected) {
    await().atMost(PATIENCE).untilAsserted(() -> expected.accept(assertThat(error(name))));
  }

  private String error(String name) {
    JsonNode error = entry(name).path("error");
    return "%s:%d %s: %s"
        .formatted(
            error.path("file").asText(),
            error.path("line").asInt(),
            error.path("field").asText(),
            error.path("message").asText());
  }

  private static String body(String profile, String more) {
    return """
        {"profile": "%s", "consumer": {"actor": "atm", "project": "profiles"}, %s}
        """
        .formatted(profile, more);
  }

  private String create(String profile, String more) {
    Api.Reply reply = api.post("/v1/sandboxes", body(profile, more), "Prefer", "wait=60");
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    return reply.field("/id");
  }

  private String refusal(String profile, String more) {
    Api.Reply reply = api.post("/v1/sandboxes", body(profile, more));
    assertThat(reply.status()).as(reply.text()).isEqualTo(400);
    return reply.field("/detail");
  }
}
