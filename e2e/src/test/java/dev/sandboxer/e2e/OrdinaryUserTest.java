package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * The platform of a user who is not root and has neither subordinate ids nor a cgroup of his own:
 * sandboxes work, and what nothing enforces is said everywhere.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class OrdinaryUserTest {

  private static final List<String> AS_NOBODY =
      List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");

  private Path folder = Path.of("");
  private final ServerSocketChannel engine;
  private Platform platform;

  OrdinaryUserTest() throws IOException {
    engine = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
  }

  @BeforeAll
  void start() throws IOException, InterruptedException {
    folder = Files.createTempDirectory("sbxu");
    Path home = folder.resolve("h");
    Files.createDirectories(home.resolve("logs"));
    run("cp", "-r", Platform.dist().toString(), folder.resolve("dist").toString());
    run("cp", "-rL", given().resolveSibling(".").toString(), folder.resolve("tools").toString());
    run("chmod", "-R", "go+rX,go-w", folder.toString());
    run("chown", "-R", "65534:65534", home.toString());
    platform =
        Platform.startThrough(
            AS_NOBODY,
            home,
            folder.resolve("dist"),
            Map.of(
                "HOME",
                home.toString(),
                "SANDBOXER_NSJAIL",
                nsjail(),
                "SANDBOXER_DOCKER_HOST",
                "unix://" + forbiddenSocket()));
  }

  @AfterAll
  void stop() throws IOException, InterruptedException {
    platform.close();
    engine.close();
    run("rm", "-rf", folder.toString());
  }

  @Test
  void aSandboxWorksAndItsRecordSaysWhatIsNotEnforced() {
    Api api = platform.api();
    Api.Reply created = api.post("/v1/sandboxes", Api.create("local"), "Prefer", "wait=60");
    assertThat(created.status()).as(created.text()).isEqualTo(201);
    assertThat(created.field("/conditions/0/type")).isEqualTo("not_enforced");
    assertThat(created.json().at("/conditions/0/detail").toString()).contains("uid", "memory");
    String id = created.field("/id");
    Api.Dataplane inside = api.access(id);
    assertThat(inside.exec("sh", "-c", "cat /proc/self/uid_map | tr -s ' '").field("/stdout"))
        .as("mapped to the platform's own user")
        .contains(" 65534 1");
    assertThat(inside.exec("sh", "-c", "echo x > /usr/x").json().path("exit_code").asInt())
        .isNotZero();
    assertThat(api.delete("/v1/sandboxes/" + id, "Prefer", "wait=30").status()).isEqualTo(200);
    assertThat(platform.sandboxFolders()).isEmpty();
  }

  /** One that only root may use, and where somebody listens. */
  private Path forbiddenSocket() throws IOException {
    Path socket = folder.resolve("docker.sock");
    engine.bind(UnixDomainSocketAddress.of(socket));
    Files.setPosixFilePermissions(socket, PosixFilePermissions.fromString("rw-rw----"));
    return socket;
  }

  @Test
  void aDockerSocketThatMayNotBeUsedIsSaidWithItsPathAndWhatToDo() throws Exception {
    Api api = platform.api();
    Api.Reply refused = api.post("/v1/sandboxes", Api.create("docker-debian"), "Prefer", "wait=60");
    assertThat(refused.status()).as(refused.text()).isIn(502, 503);
    assertThat(refused.code()).isIn("AUTHORIZATION", "UNAVAILABLE", "NO_CANDIDATE");
    assertThat(refused.field("/detail"))
        .contains("the Docker socket " + folder.resolve("docker.sock") + " may not be used")
        .contains("add the user to the socket's group");
    String id = refused.field("/sandbox_id");
    if (!id.isEmpty()) {
      assertThat(api.get("/v1/sandboxes/" + id).field("/cleanup"))
          .as("nothing was made, so nothing is owed")
          .isEqualTo("done");
      assertThat(api.delete("/v1/sandboxes/" + id).status()).isLessThan(300);
    }
    assertThat(cli("doctor")).contains(folder.resolve("docker.sock").toString());
  }

  @Test
  void aProfileThatInsistsOnLimitsFindsNoBackend() throws IOException {
    Files.writeString(
        platform.home().resolve("profiles/strict.yaml"),
        """
        id: profile.strict
        version: 1
        extension: ext.nsjail
        best_effort: [uid, cpus]
        """);
    Api api = platform.api();
    await()
        .atMost(Duration.ofMinutes(1))
        .until(() -> api.get("/v1/profiles/strict").status() == 200);
    int before = api.get("/v1/sandboxes").json().path("items").size();
    Api.Reply refused = api.post("/v1/sandboxes", Api.create("strict"));
    assertThat(refused.status()).isEqualTo(422);
    assertThat(refused.code()).isEqualTo("NO_CANDIDATE");
    assertThat(refused.field("/detail"))
        .contains(
            "resources.memory: ext.nsjail cannot enforce memory here", "best_effort: [memory]")
        .doesNotContain("best_effort: [uid]");
    assertThat(refused.json().path("rejected").has("ext.nsjail")).isTrue();
    assertThat(refused.field("/profile_key")).contains("resources.memory");
    assertThat(api.get("/v1/sandboxes").json().path("items").size()).isEqualTo(before);
  }

  @Test
  void anImageIsUnpackedAndUsedAsWell() throws IOException {
    Path image =
        Files.createDirectories(platform.home().resolve("state/nsjail/local-images/tree/closed"));
    Files.writeString(image.resolve("file"), "of the image");
    Files.setPosixFilePermissions(image, PosixFilePermissions.fromString("r-xr-xr-x"));
    platform.profile(
        "tree",
        """
        id: profile.tree
        version: 1
        extends: local@2
        image: localhost/tree
        isolation: {level: process}
        """);
    Api api = platform.api();
    Api.Reply created = api.post("/v1/sandboxes", Api.create("tree"), "Prefer", "wait=60");
    assertThat(created.status()).as(created.text()).isEqualTo(201);
    Api.Dataplane inside = api.access(created.field("/id"));
    assertThat(inside.download("/closed/file").text()).isEqualTo("of the image");
    assertThat(inside.upload("/closed/x", new byte[1]).text()).contains("ead-only");
    assertThat(api.delete("/v1/sandboxes/" + created.field("/id"), "Prefer", "wait=30").status())
        .isEqualTo(200);
  }

  @Test
  void profileTestShowsWhatHolds() throws IOException, InterruptedException {
    assertThat(cli("profile", "test", "local", "--", "echo", "inside"))
        .containsPattern("backend: +ext.nsjail")
        .containsPattern("(?m)^enforced: .*workspace tmp open_files$")
        .containsPattern("not enforced: .*memory")
        .contains("inside");
    assertThat(platform.api().get("/v1/sandboxes?live=true").json().path("items")).isEmpty();
  }

  @Test
  void runAndDoctorSayIt() throws IOException, InterruptedException {
    assertThat(cli("run", "--", "true")).contains("not enforced", "memory");
    assertThat(cli("doctor")).contains("not enforced", "memory");
  }

  private static Path given() {
    return Path.of(System.getenv("SANDBOXER_NSJAIL"));
  }

  /** The copy that every user may read. */
  private String nsjail() {
    return folder.resolve("tools").resolve(given().getFileName()).toString();
  }

  private String cli(String... arguments) throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(AS_NOBODY);
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-jar", folder.resolve("dist/cli/sandboxer-cli.jar").toString()));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
    builder.environment().put("SANDBOXER_HOME", platform.home().toString());
    builder.environment().put("SANDBOXER_DIST", folder.resolve("dist").toString());
    builder.environment().put("SANDBOXER_NSJAIL", nsjail());
    builder.environment().put("SANDBOXER_DOCKER_HOST", "unix://" + folder.resolve("docker.sock"));
    Process process = builder.start();
    process.getOutputStream().close();
    String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(process.waitFor()).as(text).isZero();
    return text;
  }

  private static void run(String... command) throws InterruptedException {
    try {
      Process process = new ProcessBuilder(command).inheritIO().start();
      assertThat(process.waitFor()).as(String.join(" ", command)).isZero();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
