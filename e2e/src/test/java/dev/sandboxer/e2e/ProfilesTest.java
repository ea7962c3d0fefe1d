package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ArgumentsSource;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What people's own profiles do to real sandboxes, and at the command line: what fails because of
 * one says which of its keys would change that. A file that was just written is waited for.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProfilesTest {

  private static final Duration PATIENCE = Duration.ofMinutes(1);

  private static final String TIGHT =
      """
      isolation: {level: %s}
      resources: {memory: 256Mi, pids: 24, workspace: 2Mi, tmp: 1Mi, open_files: 64}
      """;

  /** Below a folder that only root can change, as the rule for mounts wants. */
  private Path host = Path.of("");

  private Platform platform;
  private Api api;
  private Cli cli;

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
    cli = new Cli(platform);
    write("tight", plain("tight", TIGHT.formatted("process")));
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
  void inputsReachTheSandbox() {
    write(
        "greeter",
        plain(
            "greeter",
            """
            inputs:
              who: {type: string}
              files: {type: integer, default: 99}
              size: {type: enum, values: [64Mi, 96Mi], default: 64Mi}
            env: {GREETING: "hello ${inputs.who}"}
            resources: {open_files: "${inputs.files}", tmp: "${inputs.size}", memory: 1Gi}
            """));
    String id =
        create(
            """
            {"profile": "greeter", "consumer": {"actor": "atm", "project": "e2e"},
             "inputs": {"who": "big world", "files": 123, "size": "96Mi"}}
            """);
    String seen = "echo $GREETING; ulimit -n; df -k /tmp | tail -1 | tr -s ' ' | cut -d' ' -f2";
    assertThat(api.access(id).exec("sh", "-c", seen).field("/stdout"))
        .isEqualTo("hello big world\n123\n98304\n");
  }

  @Test
  void aWrongFileIsToldAtTheCommandLine() {
    write("wrong", "id: profile.wrong\nversion: 1\nextention: ext.nsjail\n");
    assertThat(refusal("wrong")).contains("'wrong' cannot be used: wrong.yaml:");
    Cli.Result list = cli.run("profiles");
    assertThat(list.code()).isZero();
    assertThat(list.err()).contains("wrong.yaml:");
  }

  @ParameterizedTest
  @ArgumentsSource(Backends.class)
  void hostFoldersAreMountedReadOnlyOrWritableAndLimitsHold(Backend backend) throws IOException {
    String name = "mounted-" + backend;
    write(
        name,
        on(
            backend,
            name,
            """
            limits: {exec_output_bytes: 1Ki}
            mounts:
              - {host_path: %1$s/ro, mount_path: /data}
              - {host_path: %1$s/rw, mount_path: /workspace/out, mode: rw, unlimited: true}
              - {tmpfs: 1Mi, mount_path: /scratch}
            """
                .formatted(host)));
    String id = create(Api.create(name));
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
    assertThat(inside.exec("echo", "x".repeat(2000)).field("/stdout")).isEqualTo("x".repeat(1024));
  }

  @ParameterizedTest
  @ArgumentsSource(Backends.class)
  void aRequestMountsWhatItsProfileAllows(Backend backend) throws IOException {
    String name = "callers-" + backend;
    write(
        name,
        on(
            backend,
            name,
            "caller_mounts: {roots: [%1$s/ro, %1$s/rw], modes: [rw, tmpfs], unlimited: true, max: 3}\n"
                .formatted(host)));
    Cli.Result made =
        cli.run(
            "create",
            "--profile=" + name,
            "--mount=type=bind,source=%s/ro,target=/data,readonly".formatted(host),
            "--mount=type=bind,source=%s/rw,target=/workspace/out".formatted(host),
            "--mount=type=tmpfs,target=/scratch,tmpfs-size=2m");
    assertThat(made.code()).as(made.err()).isZero();
    String id = made.out().strip();
    checkMounted(api.access(id));
    Api.Reply again =
        api.post("/v1/sandboxes/" + id + "/recreate", "", "If-Match", "1", "Prefer", "wait=60");
    assertThat(again.status()).as(again.text()).isEqualTo(201);
    checkMounted(api.access(id));
    Cli.Result writing =
        cli.run(
            "create",
            "--profile=" + name,
            "--mount=type=bind,source=%s/ro,target=/data".formatted(host));
    assertThat(writing.code()).isEqualTo(125);
    assertThat(writing.err())
        .contains("mount at '/data': %s/ro is outside the folders".formatted(host));
  }

  private void checkMounted(Api.Dataplane inside) throws IOException {
    assertThat(inside.exec("cat", "/data/greeting").field("/stdout"))
        .isEqualTo("hello from the host\n");
    assertThat(inside.exec("sh", "-c", "echo x > /data/x").field("/stderr"))
        .contains("Read-only file system");
    Api.Reply written = inside.exec("sh", "-c", "echo by a caller > /workspace/out/called");
    assertThat(written.field("/exit_code")).as(written.text()).isEqualTo("0");
    assertThat(Files.readString(host.resolve("rw/called"))).isEqualTo("by a caller\n");
    Files.delete(host.resolve("rw/called"));
    String size = "df -k /scratch | tail -1 | tr -s ' ' | cut -d' ' -f2";
    assertThat(inside.exec("sh", "-c", size).field("/stdout")).isEqualTo("2048\n");
    assertThat(inside.exec("sh", "-c", "head -c 3m /dev/zero > /scratch/big").field("/stderr"))
        .contains("No space left");
  }

  /** A profile like the backend's ready one, with more. */
  private static String on(Backend backend, String name, String more) {
    return "id: profile.%s\nversion: 1\nextends: %s@2\n%s".formatted(name, backend.profile(), more);
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
      Map<String, String> refusals = new TreeMap<>();
      wrong.forEach(
          (folder, why) -> {
            String name = "wrong" + refusals.size();
            write(name, mounting(name, "host_path: " + folder));
            refusals.put(name, why);
          });
      write("greedy", mounting("greedy", "mode: rw, unlimited: true, host_path: " + host + "/ro"));
      refusals.put("greedy", "may mount for writing");
      refusals.forEach((name, why) -> assertThat(refusal(name)).contains(why));
    } finally {
      Files.deleteIfExists(odd.resolve("door/s"));
    }
    assertThat(api.get("/v1/sandboxes?profile=greedy").json().path("items")).isEmpty();
  }

  private static String mounting(String name, String folder) {
    return plain(name, "mounts: [{%s, mount_path: /data}]\n".formatted(folder));
  }

  @ParameterizedTest
  @ArgumentsSource(Backends.class)
  void aFolderThatIsSwappedAfterTheCheckEndsTheSandbox(Backend backend) throws IOException {
    Path home = Files.createDirectories(host.resolve("odd/swap-" + backend));
    String name = "swapped-" + backend;
    write(
        name, on(backend, name, "mounts: [{host_path: %s, mount_path: /data}]\n".formatted(home)));
    platform.arm("create.mounts_checked");
    String id = api.post("/v1/sandboxes", Api.create(name)).field("/id");
    platform.awaitFailpoint("create.mounts_checked");
    Files.delete(platform.home().resolve("run/failpoint.armed"));
    Files.move(home, host.resolve("odd/kept-" + backend));
    Files.createDirectory(home);
    Files.writeString(home.resolve("evil"), "not what was checked");
    Files.delete(platform.home().resolve("run/failpoint"));
    JsonNode failed = api.get("/v1/sandboxes/" + id, "Prefer", "wait=60").json();
    assertThat(failed.at("/failure/message").asText())
        .contains("what is mounted at /data is not the folder that was checked");
    await().atMost(PATIENCE).until(() -> backend.objectsOf(id).isEmpty());
  }

  @Test
  void whatTheBackendCanNotDoIsToldAtTheCommandLine() {
    write("boxed", plain("boxed", TIGHT.formatted("container")));
    Cli.Result json = cli.run("create", "--profile", "boxed", "--json");
    assertThat(json.code()).isEqualTo(125);
    assertThat(json.json().at("/error/profile_key").asText()).isEqualTo("isolation.level");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "network.mode|python3 -c 'import socket; socket.create_connection((\"a.example\", 80))'",
        "mounts|echo x > /usr/bin/new",
        "resources.workspace|head -c 4m /dev/zero > big",
        "resources.tmp|head -c 4m /dev/zero > /tmp/big",
        "resources.open_files|python3 -c 'f=[open(\"/dev/null\") for i in range(100)]'",
        "resources.memory|kill -KILL $$",
      })
  void aCommandThatTheProfileStopsGetsAHint(String key, String command) {
    Cli.Result run = cli.run("run", "--profile", "tight", "--", "sh", "-c", command);
    assertThat(run.code()).as(run.err()).isNotZero();
    assertThat(run.err()).containsOnlyOnce("hint: ").contains(key);
    assertThat(run.err().strip().lines().toList().getLast()).contains("destroyed");
  }

  @Test
  void aFileThatDoesNotFitIsToldByTheSandboxItself() {
    Api.Reply full = api.access(create(Api.create("tight"))).upload("big", new byte[4 << 20]);
    assertThat(full.status()).as(full.text()).isEqualTo(507);
    assertThat(full.field("/detail")).contains("resources.workspace", "resources.tmp");
  }

  private static String plain(String name, String more) {
    return """
        id: profile.%s
        version: 1
        extension: ext.nsjail
        best_effort: [uid, memory, pids, cpus]
        """
            .formatted(name)
        + more;
  }

  private void write(String name, String yaml) {
    try {
      Files.writeString(platform.home().resolve("profiles/" + name + ".yaml"), yaml);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String create(String body) {
    Api.Reply reply = api.post("/v1/sandboxes", body, "Prefer", "wait=60");
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    return reply.field("/id");
  }

  private String refusal(String profile) {
    Api.Reply reply = api.post("/v1/sandboxes", Api.create(profile));
    assertThat(reply.status()).as(reply.text()).isEqualTo(400);
    return reply.field("/detail");
  }
}
