package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.testing.client.Api;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Managed processes, ports and figures by the command line, with a real sandbox. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ProcessCliTest {

  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** Gives back what it gets; on an end of input it ends too. */
  private static final String ECHO =
      """
      import socketserver
      class Echo(socketserver.BaseRequestHandler):
          def handle(self):
              whole = bytearray()
              while part := self.request.recv(65536):
                  whole += part
              self.request.sendall(whole)
      class Server(socketserver.ThreadingTCPServer):
          request_queue_size = 64
      Server(("127.0.0.1", 8088), Echo).serve_forever()
      """;

  private Platform platform;
  private Map<String, String> settings;
  private String id;
  private Cli cli;

  @TempDir private Path folder;

  @BeforeAll
  void start() {
    settings = Platform.onOnePort();
    platform = Platform.start(settings);
    id = platform.api().ready().path("id").asText();
    cli = new Cli(platform);
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  @Test
  void aProcessIsStartedListedReadAndStopped() {
    Cli.Result started =
        detached("seen", "echo out; echo err >&2; exec sleep 4713", "--restart", "on-failure");
    assertThat(started.code()).as(started.err()).isZero();
    assertThat(started.out()).isEqualTo("seen\n");
    await()
        .atMost(PATIENCE)
        .until(
            () -> cli.run("logs", id, "seen"),
            logs -> logs.out().equals("out\n") && logs.err().equals("err\n"));
    assertThat(cli.run("ps", id).out())
        .containsPattern("seen +running +[0-9]+ +.* ago +0 +- +8 B +sh -c echo out");
    assertThat(cli.run("ps", id, "--json").json().path("items").findValuesAsText("process_id"))
        .contains("seen");
    assertThat(detached("seen", "true").code()).as("the same name again").isEqualTo(125);
    Cli.Result stopped = cli.run("stop", id, "seen");
    assertThat(stopped.code()).as(stopped.err()).isZero();
    assertThat(stopped.err()).isEqualTo("seen ended: SIGTERM\n");
    assertThat(Host.processes("sleep", "4713")).isEmpty();
    assertThat(cli.run("stop", id, "never-there").code()).isEqualTo(125);
    assertThat(cli.run("logs", id, "never-there").err()).contains("never-there");
    assertThat(cli.run("logs", id, "../x").code()).isEqualTo(2);
  }

  @Test
  void ofALogTheLastLinesCanBeRead() {
    assertThat(
            detached("lines", "for n in 1 2 3 4; do echo $n; done; echo e1 >&2; printf end").code())
        .isZero();
    await()
        .atMost(PATIENCE)
        .untilAsserted(() -> assertThat(cli.run("logs", id, "lines").out()).endsWith("end"));
    assertThat(cli.run("logs", "--tail", "2", id, "lines").out()).isEqualTo("4\nend");
    assertThat(cli.run("logs", "--tail", "1", id, "lines").err()).startsWith("e1\n");
    assertThat(cli.run("logs", "-f", "--tail", "2", id, "lines").out()).isEqualTo("4\nend");
    assertThat(cli.run("logs", "--tail", "99", id, "lines").out()).isEqualTo("1\n2\n3\n4\nend");
    assertThat(cli.run("logs", "--tail", "0", id, "lines").code()).isEqualTo(2);
  }

  @Test
  void ofALogWhatWasWrittenLatelyCanBeRead() {
    String command =
        "echo old; until [ -e /workspace/go ]; do sleep 0.05; done; echo new; exec sleep 4717";
    assertThat(detached("times", command).code()).isZero();
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(cli.run("logs", "--since", "1h", id, "times").out()).isEqualTo("old\n"));
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () -> assertThat(cli.run("logs", "--since", "1s", id, "times").out()).isEmpty());
    assertThat(cli.run("exec", id, "touch", "/workspace/go").code()).isZero();
    await()
        .atMost(PATIENCE)
        .untilAsserted(
            () ->
                assertThat(cli.run("logs", "--since", "1h", id, "times").out())
                    .isEqualTo("old\nnew\n"));
    assertThat(cli.run("logs", "--since", "soon", id, "times").code()).isEqualTo(2);
    assertThat(cli.run("stop", id, "times").code()).isZero();
  }

  @Test
  void theNamesOfProcessesMoveNoTerminal() {
    assertThat(detached("colour", "exec sleep 4714 # \u001b[31m\u0007").code()).isZero();
    assertThat(cli.run("ps", id).out())
        .contains("\\u001b[31m\\u0007")
        .doesNotContain("\u001b", "\u0007");
    assertThat(cli.run("stop", id, "colour").code()).isZero();
  }

  @Test
  void aFollowedLogHasEachByteOnceThoughThePlatformIsKilled() throws Exception {
    String count =
        "i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo line $i; sleep 0.02;"
            + " [ $i -ne 200 ] || until [ -e back ]; do sleep 0.1; done; done";
    assertThat(detached("counts", count + "; exit 3").code()).isZero();
    Path errors = folder.resolve("errors");
    Process logs = cli.begin(errors, "logs", "-f", id, "counts");
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    CompletableFuture<Void> reading = CompletableFuture.runAsync(() -> copy(logs, read));
    await().atMost(PATIENCE).until(() -> text(read).contains("line 20\n"));
    platform.kill();
    platform.restart(settings);
    assertThat(platform.api().access(id).upload("back", new byte[0]).status()).isBetween(200, 204);
    reading.join();
    assertThat(logs.waitFor()).as(Files.readString(errors)).isZero();
    StringBuilder expected = new StringBuilder();
    for (int line = 1; line <= 400; line++) {
      expected.append("line ").append(line).append('\n');
    }
    assertThat(text(read)).isEqualTo(expected.toString());
    assertThat(Files.readString(errors)).contains("connecting again", "counts ended: 3");
  }

  private static String text(ByteArrayOutputStream bytes) {
    return bytes.toString(StandardCharsets.US_ASCII);
  }

  private static void copy(Process process, OutputStream to) {
    try (InputStream from = process.getInputStream()) {
      var _ = from.transferTo(to);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  void whatIsNoLongerKeptIsTold() {
    Api.Dataplane inside = platform.api().access(id);
    Api.Reply started =
        inside
            .api()
            .post(
                inside.url() + "/processes",
                "{\"process_id\": \"gaps\", \"output_buffer_bytes\": 1000,"
                    + " \"command\": \"head -c 5000 /dev/zero; printf end\"}");
    assertThat(started.status()).as(started.text()).isEqualTo(201);
    await().atMost(PATIENCE).until(() -> cli.run("ps", id).out().matches("(?s).*gaps +finished.*"));
    Cli.Result logs = cli.run("logs", id, "gaps");
    assertThat(logs.err()).isEqualTo("gap: bytes 0 to 4003 of stdout are no longer kept\n");
    assertThat(logs.bytes()).hasSize(1000).endsWith('e', 'n', 'd');
  }

  @Test
  void manyConnectionsAtOnceGoToAPortInsideAndControlCEndsIt() throws Exception {
    assertThat(detached("echo", new String[] {"python3", "-c", ECHO}).code()).isZero();
    await().atMost(PATIENCE).until(() -> listens(8088));
    Path errors = folder.resolve("errors");
    Process forward = cli.begin(errors, "port-forward", id, "0:8088");
    BufferedReader lines = forward.inputReader(StandardCharsets.UTF_8);
    String line = lines.readLine();
    assertThat(line).as(Files.readString(errors)).matches("127\\.0\\.0\\.1:[0-9]+ -> 8088");
    int port = Integer.parseInt(line.replaceAll(".*:([0-9]+) .*", "$1"));
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < 30; i++) {
      int seed = i;
      all.add(
          CompletableFuture.runAsync(() -> throughAndBack(port, seed), Thread::startVirtualThread));
    }
    all.forEach(CompletableFuture::join);
    assertThat(forward.isAlive()).isTrue();
    assertThat(new ProcessBuilder("kill", "-INT", Long.toString(forward.pid())).start().waitFor())
        .isZero();
    assertThat(forward.waitFor()).isEqualTo(130);
    assertThat(cli.run("stop", id, "echo").code()).isZero();
  }

  private boolean listens(int port) {
    Api.Dataplane inside = platform.api().access(id);
    return inside.api().get(inside.url() + "/ports").text().contains("\"port\":" + port);
  }

  private static void throughAndBack(int port, int seed) {
    byte[] bytes = new byte[300_000];
    new Random(seed).nextBytes(bytes);
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
      OutputStream out = socket.getOutputStream();
      out.write(bytes);
      socket.shutdownOutput();
      if (!Arrays.equals(socket.getInputStream().readAllBytes(), bytes)) {
        throw new AssertionError("connection " + seed + " brought back something else");
      }
    } catch (IOException e) {
      throw new UncheckedIOException("connection " + seed, e);
    }
  }

  @Test
  void aPortOnWhichNothingListensIsToldAndTheRestGoesOn() throws Exception {
    Path errors = folder.resolve("errors");
    Process forward = cli.begin(errors, "port-forward", "--json", id, "0:8099");
    try {
      BufferedReader lines = forward.inputReader(StandardCharsets.UTF_8);
      StringBuilder json = new StringBuilder();
      while (json.indexOf("]") < 0) {
        json.append(lines.readLine());
      }
      int port = Api.JSON.readTree(json.toString()).path(0).path("local").asInt();
      try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
        await()
            .atMost(PATIENCE)
            .until(() -> Files.readString(errors).contains("nothing listens on port 8099"));
        assertThat(Files.readString(errors)).contains("port 8099: ");
        assertThat(socket.isConnected()).isTrue();
      }
      assertThat(forward.isAlive()).isTrue();
    } finally {
      assertThat(forward.toHandle().destroy()).isTrue(); // the process's own would close its pipes
      assertThat(forward.waitFor()).isEqualTo(128 + 15);
    }
    assertThat(cli.run("port-forward", id, "80:http").code()).isEqualTo(2);
  }

  @Test
  void topIsOneLineForScriptsAndGoesOnAtATerminal() {
    assertThat(detached("shown", "exec sleep 4715").code()).isZero();
    List<String> lines = cli.run("top", id).out().lines().toList();
    assertThat(lines).hasSize(2);
    assertThat(lines.getFirst()).startsWith("CPU").contains("MEMORY", "PROCESSES", "DISK");
    assertThat(cli.run("top", "--json", id).json().path("processes").asInt()).isPositive();
    assertThat(cli.run("stop", id, "shown").code()).isZero();
    try (TerminalCall top = new TerminalCall(cli, "top", "--interval", "1", id)) {
      top.awaits("\u001b[2A").awaits("%");
      top.type("\u0003");
      assertThat(top.ended()).isZero();
    }
  }

  private Cli.Result detached(String name, String script, String... options) {
    List<String> call = new ArrayList<>(List.of("exec", "-d", "--name", name));
    call.addAll(List.of(options));
    call.addAll(List.of(id, "--", "sh", "-c", script));
    return cli.run(call.toArray(String[]::new));
  }

  private Cli.Result detached(String name, String[] command) {
    List<String> call = new ArrayList<>(List.of("exec", "-d", "--name", name, id, "--"));
    call.addAll(List.of(command));
    return cli.run(call.toArray(String[]::new));
  }
}
