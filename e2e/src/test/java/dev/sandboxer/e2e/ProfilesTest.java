package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;

/** People's own profiles: inputs, layers, mounts, reload, what becomes of running sandboxes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProfilesTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  /** Below a folder that only root can change, as the rule for mounts wants. */
  private Path host = Path.of("");

  private Platform platform;
  private Api api;

  @BeforeAll
  void start() throws IOException {
    host = Files.createTempDirectory(Path.of("/var/lib"), "sbxprofiles");
    Files.setPosixFilePermissions(host, PosixFilePermissions.fromString("rwxr-xr-x"));
    Files.createDirectories(host.resolve("ro"));
    Files.writeString(host.resolve("ro/greeting"), "hello from the host\n");
    Files.createDirectories(host.resolve("rw"));
    Files.setPosixFilePermissions(host.resolve("rw"), PosixFilePermissions.fromString("rwxrwxrwx"));
    platform =
        Platform.start(
            Map.of(
                "SANDBOXER_MOUNT_ROOTS",
                "%1$s/ro, %1$s/rw:rw, nobody=%1$s/theirs, %1$s/odd, %2$s"
                    .formatted(host, "/run/docker, /run")));
    api = platform.api();
  }

  @AfterAll
  void stop() throws IOException {
    platform.close();
    try (Stream<Path> paths = Files.walk(host)) {
      for (Path path : paths.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }

  @Test
  void inputsReachTheSandboxAndWrongOnesAreRefused() {
    profile(
        "greeter",
        """
        id: profile.greeter
        version: 1
        extension: ext.nsjail
        inputs:
          who: {type: string, pattern: "[a-z ]{1,20}", description: Whom to greet}
          files: {type: integer, default: 99}
          loud: {type: boolean, default: false}
          size: {type: enum, values: [64Mi, 96Mi], default: 64Mi}
        env: {GREETING: "hello ${inputs.who}, $${HOME} stays", LOUD: "${inputs.loud}"}
        resources: {open_files: "${inputs.files}", tmp: "${inputs.size}", memory: 1Gi}
        best_effort: [uid, memory, pids, cpus]
        """);
    String id =
        create(
            "greeter", "\"inputs\": {\"who\": \"big world\", \"files\": 123, \"size\": \"96Mi\"}");
    Api.Dataplane inside = api.access(id);
    assertThat(inside.exec("sh", "-c", "echo $GREETING; echo $LOUD; ulimit -n").field("/stdout"))
        .isEqualTo("hello big world, ${HOME} stays\nfalse\n123\n");
    assertThat(
            inside
                .exec("sh", "-c", "df -k /tmp | tail -1 | tr -s ' ' | cut -d' ' -f2")
                .field("/stdout"))
        .isEqualTo("98304\n");

    assertThat(refusal("greeter", "\"inputs\": {}"))
        .contains("profile.greeter@1", "inputs.who: it is missing (string: Whom to greet)");
    assertThat(refusal("greeter", "\"inputs\": {\"whom\": \"x\", \"who\": \"a\"}"))
        .contains("inputs.whom", "did you mean 'who'?");
    assertThat(refusal("greeter", "\"inputs\": {\"who\": \"A;rm\"}"))
        .contains("inputs.who: 'A;rm' must match [a-z ]{1,20}");
    assertThat(refusal("greeter", "\"inputs\": {\"who\": \"a\", \"size\": \"64mi\"}"))
        .contains("inputs.size", "did you mean '64Mi'?");
    assertThat(refusal("greeter", "\"inputs\": {\"who\": \"a\", \"files\": 0}"))
        .contains("greeter.yaml:10: resources.open_files: '0' must be a whole number from 1");
    assertThat(refusal("local", "\"inputs\": {\"who\": \"a\"}")).contains("takes no inputs");
  }

  @Test
  void aFileThatWasJustWrittenIsWaitedForAndAWrongOneIsTold() {
    write("fresh", plain("fresh", 1, ""));
    assertThat(create("fresh", "\"labels\": {}")).startsWith("sb_");
    write("wrong", "id: profile.wrong\nversion: 1\nextention: ext.nsjail\n");
    assertThat(refusal("wrong", "\"labels\": {}"))
        .contains("'wrong' can not be used: wrong.yaml:")
        .doesNotContain("there is no profile");
    Cli.Result list = new Cli(platform).run("profiles");
    assertThat(list.code()).isZero();
    assertThat(list.err()).contains("wrong.yaml:");
  }

  @Test
  void anIdempotencyKeyCoversTheInputs() {
    profile(
        "keyed", plain("keyed", 1, "inputs: {n: {type: integer}}\nenv: {N: \"${inputs.n}\"}\n"));
    String one = body("keyed", "\"inputs\": {\"n\": 1}");
    Api.Reply first = api.post("/v1/sandboxes", one, "Idempotency-Key", "in", "Prefer", "wait=60");
    Api.Reply again = api.post("/v1/sandboxes", one, "Idempotency-Key", "in", "Prefer", "wait=60");
    assertThat(again.field("/id")).isEqualTo(first.field("/id"));
    Api.Reply other =
        api.post("/v1/sandboxes", body("keyed", "\"inputs\": {\"n\": 2}"), "Idempotency-Key", "in");
    assertThat(other.code()).isEqualTo("IDEMPOTENCY_KEY_REUSED");
  }

  @Test
  void layersMergeKeyByKeyAndMistakesNameTheLayersFile() {
    profile("base", plain("base", 1, "env: {A: base, B: base}\nresources: {pids: 77, tmp: 8Mi}\n"));
    profile(
        "child",
        """
        id: profile.child
        version: 1
        extends: base@1
        env: {B: child, C: child}
        resources: {tmp: 16Mi}
        """);
    Api.Reply shown = api.get("/v1/profiles/child");
    assertThat(shown.field("/extends/0")).isEqualTo("profile.base@1");
    assertThat(shown.field("/resources/pids")).isEqualTo("77");
    assertThat(shown.field("/document/resources/tmp")).isEqualTo("16Mi");
    assertThat(shown.field("/yaml")).contains("idle: 15m", "pids: 77").doesNotContain("extends");
    String inside = create("child", "\"labels\": {}");
    assertThat(api.access(inside).exec("sh", "-c", "echo $A $B $C").field("/stdout"))
        .isEqualTo("base child child\n");

    write("looped", "id: profile.looped\nversion: 1\nextends: looped@1\n");
    awaitError(
        "looped",
        error ->
            error.isEqualTo(
                "looped.yaml:3 extends: it extends itself: profile.looped@1 -> profile.looped@1"));
    write("ring", "id: profile.ring\nversion: 1\nextends: gnir@1\n");
    write("gnir", "id: profile.gnir\nversion: 1\nextends: ring@1\n");
    awaitError("ring", error -> error.contains(":3 extends: it extends itself: profile."));
    write("badbase", "id: profile.badbase\nversion: 1\nextension: ext.nsjail\nttl: 30\n");
    write("onbad", "id: profile.onbad\nversion: 1\nextends: badbase@1\nttl: 30m\n");
    awaitError("onbad", error -> error.startsWith("badbase.yaml:4 ttl: '30' must be a duration"));
    write("orphan", "id: profile.orphan\nversion: 1\nextends: base@7\n");
    awaitError(
        "orphan", error -> error.contains("there is no profile.base@7; known versions are [1]"));
  }

  @ParameterizedTest
  @ArgumentsSource(Backends.class)
  void hostFoldersAreMountedReadOnlyOrWritable(Backend backend) throws IOException {
    String name = "mounted-" + backend;
    profile(
        name,
        on(
            backend,
            name,
            """
            mounts:
              - {host_path: %1$s/ro, mount_path: /data}
              - {host_path: %1$s/rw, mount_path: /workspace/out, mode: rw}
              - {tmpfs: 1Mi, mount_path: /scratch}
            """
                .formatted(host)));
    String id = create(name, "\"labels\": {}");
    Api.Dataplane inside = api.access(id);
    assertThat(inside.exec("cat", "/data/greeting").field("/stdout"))
        .isEqualTo("hello from the host\n");
    assertThat(inside.exec("sh", "-c", "echo x > /data/x").field("/stderr"))
        .contains("Read-only file system");
    Api.Reply written = inside.exec("sh", "-c", "echo made inside > /workspace/out/made");
    assertThat(written.field("/exit_code")).as(written.text()).isEqualTo("0");
    assertThat(Files.readString(host.resolve("rw/made"))).isEqualTo("made inside\n");
    assertThat(inside.exec("sh", "-c", "head -c 2000000 /dev/zero > /scratch/big").field("/stderr"))
        .contains("No space left");
    Files.delete(host.resolve("rw/made"));
  }

  /** A profile like the backend's ready one, with more. */
  private static String on(Backend backend, String name, String more) {
    return "id: profile.%s\nversion: 1\nextends: %s@1\n%s".formatted(name, backend.profile(), more);
  }

  @Test
  void whatMayNotBeMountedIsRefusedAtOnceAndLeavesNothing() throws IOException {
    Path odd = Files.createDirectories(host.resolve("odd"));
    Files.createSymbolicLink(odd.resolve("link"), Path.of("/etc"));
    Files.createDirectories(odd.resolve("open/below"));
    Files.setPosixFilePermissions(
        odd.resolve("open"), PosixFilePermissions.fromString("rwxrwxrwx"));
    Files.writeString(odd.resolve("file"), "no folder");
    Files.createDirectories(odd.resolve("door"));
    try (ServerSocketChannel socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      socket.bind(UnixDomainSocketAddress.of(odd.resolve("door/s")));
      Map<String, String> wrong =
          Map.of(
              "/etc",
              "is outside the folders that tenant 'default' may mount",
              host + "/theirs",
              "is outside the folders that tenant 'default' may mount",
              odd + "/link",
              "is a link: name the folder that it leads to",
              odd + "/link/ssl",
              "odd/link is a link",
              odd + "/open",
              "writable for others (mode 777)",
              odd + "/open/below",
              "open is writable for others",
              odd + "/file",
              "is no folder",
              odd + "/door",
              "holds the socket " + odd + "/door/s",
              odd + "/gone",
              "is not there",
              "/run/docker",
              "is the host's own");
      int number = 0;
      for (Map.Entry<String, String> one : wrong.entrySet()) {
        String name = "wrong" + ++number;
        profile(
            name,
            plain(
                name, 1, "mounts: [{host_path: %s, mount_path: /data}]\n".formatted(one.getKey())));
        assertThat(refusal(name, "\"labels\": {}")).as(one.getKey()).contains(one.getValue());
      }
      profile(
          "greedy",
          plain(
              "greedy",
              1,
              "mounts: [{host_path: %s/ro, mount_path: /d, mode: rw}]\n".formatted(host)));
      assertThat(refusal("greedy", "\"labels\": {}")).contains("may mount for writing");
    } finally {
      Files.deleteIfExists(odd.resolve("door/s"));
    }
    assertThat(api.post("/v1/sandboxes", body("local", "\"mounts\": []")).field("/detail"))
        .contains("'mounts' is not supported");
    assertThat(
            mistake(
                "mounts: [{host_path: /var/run/docker.sock, mount_path: /var/run/docker.sock}]"))
        .contains("mounts[0].mount_path", "the sandbox's own");
    assertThat(mistake("mounts: [{volume: cache, mount_path: /c}]")).contains("not supported yet");
  }

  @ParameterizedTest
  @ArgumentsSource(Backends.class)
  void aFolderThatIsSwappedAfterTheCheckEndsTheSandbox(Backend backend) throws IOException {
    Path home = Files.createDirectories(host.resolve("odd/swap-" + backend));
    Platform second = Platform.start(Map.of("SANDBOXER_MOUNT_ROOTS", host + "/odd"));
    try (second) {
      second.arm("create.mounts_checked");
      Files.writeString(
          second.home().resolve("profiles/swapped.yaml"),
          on(backend, "swapped", "mounts: [{host_path: %s, mount_path: /data}]\n".formatted(home)));
      await()
          .atMost(PATIENCE)
          .until(() -> second.api().get("/v1/profiles/swapped").status() == 200);
      String id = second.api().post("/v1/sandboxes", Api.create("swapped")).field("/id");
      second.awaitFailpoint("create.mounts_checked");
      Files.move(home, host.resolve("odd/kept-" + backend));
      Files.createDirectory(home);
      Files.writeString(home.resolve("evil"), "not what was checked");
      Files.delete(second.home().resolve("run/failpoint"));
      JsonNode failed = second.api().get("/v1/sandboxes/" + id, "Prefer", "wait=60").json();
      assertThat(failed.at("/failure/message").asText())
          .contains("what is mounted at /data is not the folder that was checked");
      await().atMost(PATIENCE).until(() -> backend.objectsOf(id).isEmpty());
    }
  }

  @Test
  void filesAreReadAgainWhenTheyChangeAndRunningSandboxesKeepTheirs() throws IOException {
    profile("live", plain("live", 1, "env: {V: one}\n"));
    String old = create("live", "\"labels\": {}");
    write("live", "id: profile.live\nversion: 2\nextension: ext.nsjail\nenv: {V: [half");
    awaitError("live", error -> error.startsWith("live.yaml:"));
    assertThat(api.get("/v1/profiles/live").field("/version"))
        .as("the last good one")
        .isEqualTo("1");
    Path draft = Files.writeString(file(".live.swp"), plain("live", 2, "env: {V: two}\n"));
    Files.move(draft, file("live.yaml"), StandardCopyOption.ATOMIC_MOVE);
    await()
        .atMost(PATIENCE)
        .until(() -> api.get("/v1/profiles/live").field("/version").equals("2"));
    assertThat(entry("live").has("error")).isFalse();
    assertThat(api.get("/v1/profiles/live").json().path("versions").toString()).isEqualTo("[1,2]");
    assertThat(api.get("/v1/profiles/live@1").field("/document/env/V")).isEqualTo("one");
    assertThat(api.access(old).exec("sh", "-c", "echo $V").field("/stdout")).isEqualTo("one\n");
    assertThat(api.get("/v1/sandboxes/" + old).field("/profile_version")).isEqualTo("1");
    String fresh = create("live", "\"labels\": {}");
    assertThat(api.access(fresh).exec("sh", "-c", "echo $V").field("/stdout")).isEqualTo("two\n");

    write("live", plain("live", 2, "env: {V: three}\n"));
    awaitError("live", error -> error.contains("live.yaml:2 version:", "raise the version"));
    Files.delete(file("live.yaml"));
    await().atMost(PATIENCE).until(() -> entry("live").path("source").asText().equals("database"));
    assertThat(api.get("/v1/profiles/live").field("/document/env/V")).isEqualTo("two");
    String again = create("live", "\"labels\": {}");
    assertThat(api.access(again).exec("true").status()).isEqualTo(200);
  }

  /**
   * The one that is used is older, and would have ended first. The time is longer than a slow
   * machine needs to make the other one.
   */
  @Test
  void aSandboxThatNobodyUsesEndsAndOneThatIsUsedDoesNot() {
    profile("brief", plain("brief", 1, "idle: 12s\n"));
    String used = create("brief", "\"labels\": {}");
    Api.Dataplane inside = api.access(used);
    String silent = create("brief", "\"labels\": {}");
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

  @ParameterizedTest
  @ArgumentsSource(Backends.class)
  void limitsOfTheDataplaneAreShownAndHold(Backend backend) {
    String name = "limited-" + backend;
    profile(
        name,
        on(
            backend,
            name,
            "limits: {processes: 2, json_bytes: 4Ki, exec_output_bytes: 1Ki, watchers: 1}\n"));
    assertThat(api.get("/v1/profiles/" + name).json().path("limits"))
        .isEqualTo(
            Api.JSON.valueToTree(
                Map.of(
                    "processes", 2, "json_bytes", 4096, "exec_output_bytes", 1024, "watchers", 1)));
    Api.Dataplane inside = api.access(create(name, "\"labels\": {}"));
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
  void theSchemaIsServedAndLiesBesideTheFiles() throws IOException {
    String schema = Files.readString(Guide.CHECKOUT.resolve("docs/schema/profile.schema.json"));
    assertThat(api.get("/v1/profiles/schema").text()).isEqualTo(schema);
    assertThat(Files.readString(file("profile.schema.json"))).isEqualTo(schema);
  }

  @Test
  void lintListsEveryMistakeAndStoresNothing() {
    Api.Reply lint = lint("id: profile.linted\nversion: 1\nextention: ext.nsjail\nttl: 30\n");
    assertThat(lint.json().path("valid").asBoolean()).isFalse();
    List<String> found = lint.json().path("problems").findValuesAsText("field");
    assertThat(found).containsExactlyInAnyOrder("", "extention", "ttl");
    assertThat(lint.text()).contains("did you mean 'extension'?");
    assertThat(lint(plain("linted", 1, "")).json().path("valid").asBoolean()).isTrue();
    assertThat(api.get("/v1/profiles/linted").status()).isEqualTo(404);
    String consumer =
        api.post("/v1/keys", "{\"name\": \"c\", \"role\": \"consumer\"}").field("/key");
    assertThat(api.withKey(consumer).post("/v1/profiles/lint", "{\"yaml\": \"\"}").status())
        .isEqualTo(403);
  }

  private Api.Reply lint(String yaml) {
    return api.post("/v1/profiles/lint", Api.JSON.valueToTree(Map.of("yaml", yaml)).toString());
  }

  /** What lint says of one line added to a plain profile. */
  private String mistake(String line) {
    return lint(plain("mistake", 1, line + "\n")).text();
  }

  private static String plain(String name, int version, String more) {
    return """
        id: profile.%s
        version: %d
        extension: ext.nsjail
        best_effort: [uid, memory, pids, cpus]
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

  private Path file(String name) {
    return platform.home().resolve("profiles").resolve(name);
  }

  private void write(String name, String yaml) {
    try {
      Files.writeString(file(name + ".yaml"), yaml);
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
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
        {"profile": "%s", "consumer": {"actor": "atm", "project": "e2e"}, %s}
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
