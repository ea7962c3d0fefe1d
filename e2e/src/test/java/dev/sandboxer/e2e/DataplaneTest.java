package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.SseListener;
import java.net.URI;
import java.net.http.HttpHeaders;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.Parameter;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.ArgumentsSource;

/**
 * The same dataplane, whatever is between: boxd by itself, and through the relay on every backend.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@ParameterizedClass(name = "{0}")
@ArgumentsSource(Doors.class)
class DataplaneTest {

  private static final Duration PATIENCE = Duration.ofSeconds(30);
  private static final String SERVER =
      """
      use IO::Socket::INET;
      my $s = IO::Socket::INET->new(LocalAddr => '127.0.0.1', LocalPort => 8077, Listen => 5, ReuseAddr => 1);
      $| = 1; print "up\\n";
      while (my $c = $s->accept) { my $l = <$c>; while (my $h = <$c>) { last if $h =~ /^\\r?$/ }
        print $c "HTTP/1.1 200 OK\\r\\nContent-Length: 5\\r\\nConnection: close\\r\\n\\r\\nhello"; close $c }
      """;

  @Parameter private Doors.Door door;

  private Api.Dataplane inside;

  @AfterParameterizedClassInvocation
  void close() {
    door.close();
  }

  /** A fresh token for each: boxd's own lives for a minute. */
  @BeforeEach
  void fetchToken() {
    inside = door.dataplane();
  }

  @AfterEach
  void endWhatRuns() {
    Api.Dataplane last = door.dataplane();
    for (JsonNode process : last.get("/processes").json().path("items")) {
      var _ = last.delete("/processes/" + process.path("process_id").asText());
    }
  }

  @Test
  void runsCommandsWhole() {
    Api.Reply plain = inside.exec("sh", "-c", "echo out; echo err >&2; exit 7");
    assertThat(plain.status()).as(plain.text()).isEqualTo(200);
    assertThat(plain.field("/stdout")).isEqualTo("out\n");
    assertThat(plain.field("/stderr")).isEqualTo("err\n");
    assertThat(plain.json().path("exit_code").asInt()).isEqualTo(7);

    JsonNode text = post("/exec", Map.of("command", "tr a-z A-Z", "stdin", "grüß"));
    assertThat(text.path("stdout").asText()).isEqualTo("GRüß");
    JsonNode bytes = post("/exec", Map.of("command", "printf '\\377\\000x'"));
    assertThat(bytes.path("stdout_encoding").asText()).isEqualTo("base64");
    assertThat(Base64.getDecoder().decode(bytes.path("stdout").asText()))
        .containsExactly(0xff, 0, 'x');
    assertThat(outOfTime("echo first; sleep 600 & sleep 600")).isEqualTo("first\n");
    assertThat(post("/exec", Map.of("command", "kill -9 $$")).path("signal").asText())
        .isEqualTo("SIGKILL");
    JsonNode background = post("/exec", Map.of("command", "sleep 6 & echo hi"));
    assertThat(background.path("stdout").asText()).isEqualTo("hi\n");
    assertThat(inside.exec("/no/such/program").status()).isEqualTo(400);
  }

  /** What it had printed; where the machine was too slow to begin in time, it gets more. */
  private String outOfTime(String command) {
    String printed = "";
    for (int millis = 300; printed.isEmpty() && millis < 20_000; millis *= 2) {
      JsonNode late = post("/exec", Map.of("command", command, "timeout_ms", millis));
      assertThat(late.path("timed_out").asBoolean()).isTrue();
      printed = late.path("stdout").asText();
    }
    return printed;
  }

  @Test
  void streamsLines() {
    String lines =
        inside
            .api()
            .post(
                inside.url() + "/exec",
                "{\"command\": \"echo one; echo two >&2; exit 3\"}",
                "Accept",
                "application/x-ndjson")
            .text();
    assertThat(lines.lines().map(line -> read(line).path("type").asText()))
        .contains("ready", "stdout", "stderr", "exit");
    assertThat(read(lines.lines().toList().getLast()).path("exit_code").asInt()).isEqualTo(3);
  }

  @Test
  void runsACommandOverAWebSocket() {
    try (Frames frames = Frames.open(inside, "/exec/ws", "")) {
      frames.send("{\"type\": \"start\", \"command\": [\"cat\"]}");
      assertThat(frames.await("ready").path("pid").asInt()).isPositive();
      frames.send("{\"type\": \"nonsense\"}");
      assertThat(frames.await("error").path("code").asText()).isEqualTo("VALIDATION");
      frames.send("{\"type\": \"stdin\", \"data\": \"grüß\"}");
      assertThat(frames.await("stdout").path("data").asText()).isEqualTo("grüß");
      frames.send("{\"type\": \"ping\", \"id\": \"p1\"}");
      assertThat(frames.await("pong").path("id").asText()).isEqualTo("p1");
      frames.send("{\"type\": \"stdin\", \"eof\": true}");
      assertThat(frames.await("exit").path("exit_code").asInt()).isZero();
    }
  }

  @Test
  void carriesBytesAsTheyAre() {
    try (Frames frames = Frames.open(inside, "/exec/ws", "sandboxer.v1.binary")) {
      frames.send(
          "{\"type\": \"start\", \"command\": \"head -c 20000000 /dev/zero | tr '\\\\0' x; printf '\\\\377'\"}");
      assertThat(frames.await("exit").path("exit_code").asInt()).isZero();
      byte[] out = frames.output();
      assertThat(out).hasSize(20_000_001);
      assertThat(out[19_999_999]).isEqualTo((byte) 'x');
      assertThat(out[20_000_000]).isEqualTo((byte) 0xff);
    }
  }

  @Test
  void givesARealTerminal() {
    try (Frames frames = Frames.open(inside, "/shell/ws", "")) {
      frames.send(
          "{\"type\": \"start\", \"command\": [\"sh\"], \"tty\": {\"cols\": 100, \"rows\": 30}}");
      var _ = frames.await("ready");
      frames.send("{\"type\": \"stdin\", \"data\": \"stty size\\n\"}");
      frames.awaitText("30 100");
      frames.send("{\"type\": \"resize\", \"cols\": 90, \"rows\": 20}");
      frames.send("{\"type\": \"stdin\", \"data\": \"stty size\\n\"}");
      frames.awaitText("20 90");
      // What the terminal echoes is no sign that the program is in front: what it prints is.
      frames.send(
          "{\"type\": \"stdin\", \"data\": \"sh -c 'echo in-$((6*6)); exec sleep 600'\\n\"}");
      frames.awaitText("in-36");
      frames.send("{\"type\": \"stdin\", \"data\": \"\\u0003\"}");
      frames.send("{\"type\": \"stdin\", \"data\": \"echo still-$((6*7))\\n\"}");
      frames.awaitText("still-42");
      frames.send("{\"type\": \"stdin\", \"data\": \"exit 5\\n\"}");
      assertThat(frames.await("exit").path("exit_code").asInt()).isEqualTo(5);
    }
  }

  @Test
  void keepsProcessesAndTheirOutput() {
    Map<String, Object> counting =
        Map.of(
            "process_id", "count", "command", "for i in 1 2 3; do echo $i; done; exec sleep 600");
    assertThat(inside.post("/processes", json(counting)).status()).isEqualTo(201);
    assertThat(inside.post("/processes", json(counting)).status()).isEqualTo(409);
    await()
        .atMost(PATIENCE)
        .until(
            () -> inside.get("/processes/count/output?stream=stdout").text().equals("1\n2\n3\n"));
    Api.Reply rest = inside.get("/processes/count/output?stream=stdout&offset=2");
    assertThat(rest.text()).isEqualTo("2\n3\n");
    assertThat(rest.headers().firstValue("Sandboxer-Offset")).hasValue("2");
    try (Frames attached = Frames.open(inside, "/processes/count/attach?stdout_offset=4", "")) {
      assertThat(attached.await("ready").at("/offsets/stdout").asInt()).isEqualTo(4);
      assertThat(attached.await("stdout").path("data").asText()).isEqualTo("3\n");
    }
    assertThat(inside.post("/processes/count/signal", "{\"name\": \"TERM\"}").status())
        .isEqualTo(204);
    await()
        .atMost(PATIENCE)
        .until(() -> inside.get("/processes/count").field("/state").equals("finished"));
    assertThat(inside.get("/processes/count").field("/signal")).isEqualTo("SIGTERM");
    assertThat(inside.get("/processes/nobody").status()).isEqualTo(404);
  }

  @Test
  void handlesFiles() {
    byte[] content = "one\ntwo\nthree\n".getBytes(StandardCharsets.UTF_8);
    assertThat(inside.upload("box/../box/a.txt&parents=true", content).status()).isEqualTo(201);
    assertThat(inside.upload("box/a.txt", content).status()).isEqualTo(200);
    Api.Reply part =
        inside.api().get(inside.url() + "/files/download?path=box/a.txt", "Range", "bytes=4-6");
    assertThat(part.status()).isEqualTo(206);
    assertThat(part.text()).isEqualTo("two");
    String etag = inside.download("box/a.txt").headers().firstValue("ETag").orElseThrow();
    assertThat(
            inside
                .api()
                .send(
                    "POST",
                    inside.url() + "/files/upload?path=box/a.txt",
                    content,
                    "Content-Type",
                    "application/octet-stream",
                    "If-None-Match",
                    "*")
                .status())
        .as("it is there, with " + etag)
        .isEqualTo(412);
    assertThat(inside.get("/files/stat?path=box/a.txt").json().path("size_bytes").asInt())
        .isEqualTo(content.length);
    assertThat(
            inside.post("/files/mkdir", "{\"path\": \"box/deep/er\", \"parents\": true}").status())
        .isEqualTo(201);
    assertThat(
            inside
                .post("/files/move", "{\"from\": \"box/a.txt\", \"to\": \"box/deep/b.txt\"}")
                .status())
        .isEqualTo(200);
    assertThat(
            inside
                .post("/files/chmod", "{\"path\": \"box/deep/b.txt\", \"mode\": \"0600\"}")
                .status())
        .isEqualTo(200);
    assertThat(inside.get("/files/list?path=box&depth=3").text()).contains("b.txt", "er");
    assertThat(inside.get("/files/search?path=box&pattern=*.txt").text()).contains("b.txt");
    assertThat(inside.get("/files/search?path=box&grep=tw.").json().at("/items/0/line").asText())
        .isEqualTo("two");
    assertThat(inside.get("/files/download?path=box").status()).isEqualTo(409);
    assertThat(inside.get("/files/download?path=box/none").status()).isEqualTo(404);
    assertThat(inside.post("/files/remove", "{\"path\": \"box\"}").status()).isEqualTo(409);
    assertThat(inside.post("/files/remove", "{\"path\": \"box\", \"recursive\": true}").status())
        .isEqualTo(204);
    assertThat(inside.get("/files/stat?path=box").status()).isEqualTo(404);
  }

  @Test
  void tellsWhatChanges() {
    assertThat(inside.post("/files/mkdir", "{\"path\": \"watched\"}").status()).isEqualTo(201);
    String path = URI.create(inside.url() + "/files/watch?path=watched").toString();
    try (SseListener listener = SseListener.open(inside.api(), path, "")) {
      assertThat(inside.upload("watched/new.txt", new byte[] {'x'}).status()).isEqualTo(201);
      List<SseListener.Message> heard = listener.await(1, PATIENCE);
      assertThat(heard.toString()).contains("new.txt");
    }
    assertThat(
            inside.post("/files/remove", "{\"path\": \"watched\", \"recursive\": true}").status())
        .isEqualTo(204);
  }

  @Test
  void reachesPortsInside() {
    assertThat(inside.upload("server.pl", SERVER.getBytes(StandardCharsets.UTF_8)).status())
        .isBetween(200, 201);
    assertThat(
            inside
                .post("/processes", json(Map.of("process_id", "web", "command", "perl server.pl")))
                .status())
        .isEqualTo(201);
    await().atMost(PATIENCE).until(() -> inside.get("/ports").text().contains("8077"));
    assertThat(inside.get("/ports/8077/any/path?x=1").text()).isEqualTo("hello");
    assertThat(inside.get("/ports/8078/").status()).isEqualTo(502);
    assertThat(inside.get("/ports/0/").status()).isIn(400, 404);
  }

  @Test
  void measuresItself() {
    JsonNode metrics = inside.get("/metrics").json();
    assertThat(metrics.toString()).contains("cpu_seconds", "memory");
    assertThat(inside.get("/health").json().path("generation").asInt()).isEqualTo(1);
  }

  @Test
  void refusesWhatIsWrong() {
    assertThat(inside.post("/exec", "{\"comand\": 1}").status()).isEqualTo(400);
    assertThat(inside.post("/exec", "not json").status()).isEqualTo(400);
    assertThat(inside.get("/nothing").status()).isEqualTo(404);
    assertThat(new Api(inside.api().base(), "x.y.z").get(inside.url() + "/processes").status())
        .isEqualTo(401);
  }

  private JsonNode post(String path, Map<String, Object> body) {
    Api.Reply reply = inside.post(path, json(body));
    assertThat(reply.status()).as(reply.text()).isEqualTo(200);
    return reply.json();
  }

  private static String json(Object body) {
    return Api.JSON.valueToTree(body).toString();
  }

  private static JsonNode read(String line) {
    return new Api.Reply(200, emptyHeaders(), line).json();
  }

  private static HttpHeaders emptyHeaders() {
    return HttpHeaders.of(Map.of(), (_, _) -> true);
  }
}
