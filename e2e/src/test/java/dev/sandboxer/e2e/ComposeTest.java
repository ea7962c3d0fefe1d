package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.SshServer;
import dev.sandboxer.testing.client.Api;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.condition.EnabledIfEnvironmentVariable;

/** A project of three services behind a real sshd, driven as the seed's runbook says. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@EnabledIfEnvironmentVariable(named = "SANDBOXER_DOCKER_HOST", matches = ".+")
class ComposeTest {

  private static final Executor THREADS = task -> Thread.ofVirtual().start(task);

  private static final Duration PATIENCE = Duration.ofSeconds(100);

  private static final String PROJECT =
      """
      services:
        db:
          image: sandboxer-test/busybox:latest
          command: sh -c "echo $ANSWER > /data/answer && httpd -f -p 5432 -h /data"
          volumes: [data:/data]
          healthcheck: {test: [CMD, wget, -qO-, "http://127.0.0.1:5432/answer"], interval: 200ms, retries: 50}
        web:
          image: sandboxer-test/busybox:latest
          command: sh -c "mkdir /www && wget -qO /www/index.html http://db:5432/answer && httpd -f -p 8080 -h /www"
          depends_on: {db: {condition: service_healthy}}
          healthcheck: {test: [CMD, wget, -qO-, "http://127.0.0.1:8080/"], interval: 200ms, retries: 50}
        runner:
          image: sandboxer-test/busybox:latest
          command: sleep 100000
          volumes: ["./tests:/tests:ro", "results:/results"]
      volumes: {data: {}, results: {}}
      """;

  private static final String CHECK =
      """
      got=$(wget -qO- http://web:8080/)
      echo "the answer is $got" | tee /results/log
      [ "$got" = "$1" ]
      """;

  private static final String HOST = "/v1/hosts/127-0-0-1";

  static final String PAGE = "docs/runbook-compose-e2e.md";

  /** All of it in the profile; boxd takes the runner's place. */
  private static final String DOORS =
      """
      id: profile.compose-doors
      version: 1
      extension: ext.compose-ssh
      isolation: {level: container}
      resources: {memory: 256Mi, pids: 128}
      best_effort: [uid]
      secret_refs:
        - {name: token, ref: "file:compose-token", use: file}
      options:
        service: runner
        attach: replace
        ports: {9000: "web:8080"}
        ready:
          - {service: web, http: {port: 8080, path: /page}, timeout: 90s}
        files:
          compose.yaml: |
            services:
              web:
                image: sandboxer-test/busybox:latest
                command: sh -c "mkdir /www && echo here >/www/page && cp /run/secrets/token /www && echo serves && httpd -f -p 8080 -h /www"
                ports: ["9001:8080"]
                secrets: [token]
              runner:
                image: sandboxer-test/busybox:latest
                command: "false"
                environment: {MODE: test}
            secrets: {token: {external: true}}
      """;

  private Path folder;
  private HostTree projects;
  private SshServer server;
  private Platform platform;
  private Engine engine;

  @BeforeAll
  void start() throws IOException {
    engine = Backends.docker().orElseThrow();
    folder = Files.createTempDirectory(Path.of("/tmp"), "sbxc");
    server = new SshServer(folder.resolve("ssh"));
    projects = new HostTree();
    projects.write("app/compose.yaml", PROJECT);
    projects.write("app/tests/check.sh", CHECK);
    projects.write("app/.env", "ANSWER=42\n");
    Path home = Prepared.home();
    Files.createDirectories(home.resolve("extensions/compose-ssh"));
    Files.writeString(
        home.resolve("extensions/compose-ssh/extension.yaml"), "config: {pull: never}\n");
    write(
        Files.createDirectories(home.resolve("secrets/default"))
            .resolve("compose-token")
            .toString(),
        "of-the-profile");
    write(
        Files.createDirectories(home.resolve("prices")).resolve("hosts.yaml").toString(),
        "currency: USD\nhosts: [{host: 127-0-0-1, per_hour: 0.10}]\n");
    Files.createDirectories(home.resolve("profiles"));
    Files.writeString(home.resolve("profiles/compose-doors.yaml"), DOORS);
    platform = Platform.startThrough(List.of(), home, Platform.dist(), settings());
    addHost();
  }

  private Map<String, String> settings() {
    return Map.of(
        "SANDBOXER_MOUNT_ROOTS",
        "default=" + projects.root(),
        "SANDBOXER_IMAGES",
        "docker.io/sandboxer-test/*");
  }

  private void write(String name, String text) throws IOException {
    Path file = folder.resolve(name);
    Files.createDirectories(file.resolveSibling("."));
    Files.writeString(file, text);
  }

  /** As a person does, who compares the key that is shown. */
  private void addHost() throws IOException {
    String address = "ssh://%s@127.0.0.1:%d".formatted(SshServer.user(), server.port());
    List<String> words =
        new ArrayList<>(List.of("hosts", "add", address, "--extension", "ext.compose-ssh"));
    words.addAll(List.of("--credential", "key=file:" + server.key()));
    Map<String, String> settings =
        Map.of(
            "remote_dir",
            folder.resolve("r").toString(),
            "docker_socket",
            engine.socket().toString(),
            "compose",
            "docker-compose",
            "path",
            System.getenv("PATH"));
    settings.forEach((name, value) -> words.addAll(List.of("--setting", name + "=" + value)));
    try (TerminalCall call = new TerminalCall(new Cli(platform), words.toArray(String[]::new))) {
      call.awaits(server.fingerprint()).awaits("[y/N]").type("y\r");
      call.awaits("trusted from now on");
      assertThat(call.ended()).isZero();
    }
    await().atMost(PATIENCE).until(() -> platform.api().get(HOST).field("/state").equals("ready"));
  }

  @AfterAll
  void stop() {
    platform.close();
    server.close();
    projects.close();
  }

  @Test
  void aProjectComesUpIsTestedSurvivesAKillAndIsGone() {
    Api.Reply made = create("compose-e2e", project("app"), "Prefer", "wait=60");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    JsonNode sandbox = made.json();
    String id = sandbox.path("id").asText();
    assertThat(sandbox.toString()).contains("127.0.0.1:" + server.port(), "/project");
    assertThat(engine.containers(id.substring("sb_".length()))).hasSize(4);

    assertThat(check(id, "42")).isZero();
    assertThat(check(id, "43")).isEqualTo(1);
    Api.Dataplane inside = platform.api().access(id);
    assertThat(inside.upload("file.txt", new byte[] {52, 50}).status()).isBetween(200, 204);
    assertThat(inside.exec("cat", "/results/log", "file.txt").field("/stdout"))
        .isEqualTo("the answer is 42\n42");
    assertThat(inside.exec("sh", "-c", "wget -T 3 -qO- http://example.com || echo no way out"))
        .satisfies(reply -> assertThat(reply.field("/stdout")).isEqualTo("no way out\n"));

    platform.kill();
    platform.restart(settings());
    assertThat(check(id, "42")).isZero();
    projects.write("app/.env", "ANSWER=43\n");
    recreate(id);
    assertThat(check(id, "42")).isZero();
    projects.write("app/.env", "ANSWER=42\n");

    Api.Reply gone = platform.api().delete("/v1/sandboxes/" + id, "Prefer", "wait=60");
    assertThat(gone.field("/state")).as(gone.text()).isEqualTo("destroyed");
    isGone(id);
  }

  private void recreate(String id) {
    Api.Reply again =
        platform
            .api()
            .post("/v1/sandboxes/" + id + "/recreate", "", "If-Match", "1", "Prefer", "wait=100");
    assertThat(again.status()).as(again.text()).isEqualTo(201);
  }

  /** As somebody does who has nothing on the platform's machine. */
  @Test
  void anArchiveOfGitIsUploadedAndMadeOfAgain() throws Exception {
    Path git = committed("git");
    git(git, "archive", "--format=tar.gz", "-o", folder.resolve("app.tar.gz").toString(), "HEAD");

    Cli cli = new Cli(platform);
    String digest = ok(cli.run("archive", "add", folder.resolve("app.tar.gz").toString()));
    String id =
        ok(
            cli.run(
                "create",
                "-p",
                "compose-e2e",
                "--input",
                "project=" + digest,
                "--input",
                "service=runner"));
    assertThat(check(id, "42")).isZero();
    assertThat(cli.run("archive", "rm", digest).code()).isNotZero();
    recreate(id);
    assertThat(check(id, "42")).isZero();
    var _ = ok(cli.run("rm", id));
    isGone(id);
    var _ = ok(cli.run("archive", "rm", digest));
  }

  @Test
  void theRunbookWorksAsWritten() throws Exception {
    int before = engine.containers("-runner-1").size();
    try (PageReader reader = new PageReader(committed("runbook"), platform)) {
      reader.follow(PAGE);
    }
    assertThat(engine.containers("-runner-1")).hasSize(before);
  }

  /** The project, as somebody has it in git. */
  private Path committed(String name) throws Exception {
    Path git = Files.createDirectory(folder.resolve(name));
    write(name + "/compose.yaml", PROJECT);
    write(name + "/tests/check.sh", CHECK);
    write(name + "/.env", "ANSWER=42\n");
    git(git, "init", "-q");
    git(git, "add", ".");
    git(git, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "all");
    return git;
  }

  private static void git(Path folder, String... words) throws Exception {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(words));
    Process process =
        new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true).start();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(text).isZero();
  }

  private static String ok(Cli.Result result) {
    assertThat(result.code()).as(result.toString()).isZero();
    return result.out().strip();
  }

  @Test
  void isQuotedAtThePriceOfTheMachine() {
    Api.Reply quote =
        platform
            .api()
            .post(
                "/v1/quotes",
                "{\"profile\": \"compose-e2e\", \"inputs\": %s, \"duration_seconds\": 7200}"
                    .formatted(project("app")));
    assertThat(quote.field("/items/0/host")).as(quote.text()).isEqualTo("127-0-0-1");
    assertThat(quote.field("/items/0/amount")).isEqualTo("0.20");
    assertThat(quote.field("/items/0/basis")).isEqualTo("allocated");
  }

  @Test
  void anImageOfAServiceThatTheTenantMayNotUse() {
    projects.write("other/compose.yaml", PROJECT.replaceFirst("sandboxer-test", "library"));
    Api.Reply refused = create("compose-e2e", project("other"), "Prefer", "wait=60");
    assertThat(refused.text())
        .contains("compose.yaml:3: services.db.image: image library/busybox:latest is not allowed")
        .contains("SANDBOXER_IMAGES allows [docker.io/sandboxer-test/*]");
  }

  /** The last one first: what still runs of one must not come to the step of a later one. */
  private static final List<String> CREATE =
      List.of(
          "create.ready",
          "create.configured",
          "create.reachable",
          "create.handle_stored",
          "create.provisioned",
          "create.attempted",
          "create.recorded");

  private static final List<String> DELETE =
      List.of("delete.done", "delete.torn_down", "delete.destroying", "delete.claimed");

  /** Its `up` takes as long as nobody says that it may go on. */
  private static final String SLOW =
      """
      id: profile.slow
      version: 1
      extension: ext.compose-ssh
      isolation: {level: container}
      best_effort: [uid]
      resources: {cpus: 1, memory: 128Mi, pids: 64}
      inputs: {step: {type: string}}
      options:
        service: app
        env: {STEP: "${inputs.step}"}
        files:
          compose.yaml: |
            services:
              db:
                image: sandboxer-test/busybox:latest
                command: sh -c "[ $${STEP} != create.up ] || sleep 4; touch /tmp/ok; sleep 100000"
                healthcheck: {test: [CMD, test, -e, /tmp/ok], interval: 200ms, retries: 100}
              app:
                image: sandboxer-test/busybox:latest
                command: sleep 100000
                depends_on: {db: {condition: service_healthy}}
      """;

  @Test
  void goesOnWhereverThePlatformIsKilled() {
    platform.profile("slow", SLOW);
    List<CompletableFuture<Void>> calls = new ArrayList<>();
    for (String step : CREATE) {
      platform.arm(step);
      calls.add(CompletableFuture.runAsync(() -> createSlow(step), THREADS));
      platform.awaitFailpoint(step);
    }
    int before = engine.containers("-db-1").size();
    calls.add(CompletableFuture.runAsync(() -> createSlow("create.up"), THREADS));
    await().atMost(PATIENCE).until(() -> engine.containers("-db-1").size() > before);
    killed(calls);

    List<String> ids = new ArrayList<>();
    for (String step : CREATE) {
      ids.add(wentOn(step));
    }
    ids.add(wentOn("create.up"));
    calls.clear();
    for (int i = 0; i < DELETE.size(); i++) {
      String path = "/v1/sandboxes/" + ids.get(i);
      platform.arm(DELETE.get(i));
      calls.add(CompletableFuture.runAsync(() -> platform.api().delete(path), THREADS));
      platform.awaitFailpoint(DELETE.get(i));
    }
    killed(calls);

    for (String id : ids) {
      assertThat(platform.api().delete("/v1/sandboxes/" + id).status()).isIn(200, 202);
    }
    for (String id : ids) {
      // Where a call was cut off, the platform looks once more when its late effects are over.
      await(id).atMost(PATIENCE).untilAsserted(() -> isGone(id));
      assertThat(platform.api().get("/v1/sandboxes/" + id).field("/state"))
          .isIn("destroying", "destroyed");
    }
  }

  /** It is asked at least once a minute, for as many days as that takes. */
  @Test
  void whatAMachineHasIsRemovedOnceItIsBack() throws IOException {
    Api.Reply made = create("compose-e2e", project("app"), "Prefer", "wait=60");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    String id = made.field("/id");
    List<ProcessHandle> sessions = server.sessions();
    server.stop();
    sessions.forEach(ProcessHandle::destroyForcibly);

    assertThat(platform.api().delete("/v1/sandboxes/" + id).status()).isIn(200, 202);
    await().atMost(PATIENCE).until(() -> platform.api().get("/v1/cleanups").text().contains(id));
    killed(List.of());
    assertThat(platform.api().get("/v1/sandboxes/" + id).field("/state")).isEqualTo("destroying");
    assertThat(engine.containers(id.substring("sb_".length()))).hasSize(4);

    server.start();
    await()
        .atMost(PATIENCE)
        .until(() -> platform.api().get("/v1/sandboxes/" + id).field("/state").equals("destroyed"));
    isGone(id);
    await().atMost(PATIENCE).until(() -> platform.api().get(HOST).field("/state").equals("ready"));
  }

  private void killed(List<CompletableFuture<Void>> calls) {
    platform.kill();
    calls.forEach(call -> assertThat(call.handle((done, e) -> true).join()).isTrue());
    platform.restart(settings());
  }

  private Api.Reply createSlow(String step, String... headers) {
    List<String> all = new ArrayList<>(List.of("Idempotency-Key", step));
    all.addAll(List.of(headers));
    return create("slow", "{\"step\": \"%s\"}".formatted(step), all.toArray(String[]::new));
  }

  private String project(String name) {
    return "{\"project\": \"%s\", \"service\": \"runner\"}"
        .formatted(projects.root().resolve(name));
  }

  private Api.Reply create(String profile, String inputs, String... headers) {
    String body =
        "{\"profile\": \"%s\", \"consumer\": {\"actor\": \"atm\", \"project\": \"e2e\"}, \"inputs\": %s}"
            .formatted(profile, inputs);
    return platform.api().post("/v1/sandboxes", body, headers);
  }

  private String wentOn(String step) {
    Api.Reply again = createSlow(step, "Prefer", "wait=100");
    assertThat(again.status()).as(step + again.text()).isEqualTo(201);
    String id = again.field("/id");
    assertThat(platform.api().access(id).exec("echo", "alive").field("/stdout"))
        .as(step)
        .isEqualTo("alive\n");
    assertThat(engine.containers(id.substring("sb_".length()))).as(step).hasSize(3);
    return id;
  }

  private void isGone(String id) {
    String name = id.substring("sb_".length());
    assertThat(engine.containers(name)).isEmpty();
    assertThat(engine.send("GET", "/networks") + engine.send("GET", "/volumes"))
        .doesNotContain(name);
    assertThat(folder.resolve("r").toFile().listFiles(File::isDirectory))
        .isNotEmpty()
        .allSatisfy(base -> assertThat(base.list()).doesNotContain(name));
  }

  @Test
  void aServiceIsReachedByItsNumbersReadsItsSecretAndItsLogIsRead() {
    Api.Reply made =
        platform
            .api()
            .post(
                "/v1/sandboxes",
                """
                {"profile": "compose-doors", "consumer": {"actor": "atm", "project": "e2e"}}
                """,
                "Prefer",
                "wait=60");
    assertThat(made.status()).as(made.text()).isEqualTo(201);
    String id = made.field("/id");
    assertThat(engine.containers(id.substring("sb_".length()))).hasSize(2);
    Api.Dataplane inside = platform.api().access(id);
    assertThat(inside.get("/ports/9000/page").text()).isEqualTo("here\n");
    assertThat(inside.get("/ports/9001/page").text()).isEqualTo("here\n");
    assertThat(inside.get("/ports/9000/token").text()).isEqualTo("of-the-profile");
    assertThat(inside.exec("cat", "/run/secrets/token").field("/stdout"))
        .isEqualTo("of-the-profile");
    assertThat(inside.get("/ports/8080/").status()).isEqualTo(502);
    assertThat(inside.exec("sh", "-c", "echo $MODE; cat /.sandboxer/logs/web").field("/stdout"))
        .isEqualTo("test\nserves\n");
    Api.Reply gone = platform.api().delete("/v1/sandboxes/" + id, "Prefer", "wait=60");
    assertThat(gone.field("/state")).as(gone.text()).isEqualTo("destroyed");
  }

  private int check(String id, String expected) {
    Api.Reply reply = platform.api().access(id).exec("sh", "/tests/check.sh", expected);
    assertThat(reply.field("/stdout")).as(reply.text()).isEqualTo("the answer is 42\n");
    return reply.json().path("exit_code").asInt(-1);
  }
}
