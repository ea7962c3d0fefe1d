package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.sandboxer.platform.dataplane.DataplaneTargets.Target;
import dev.sandboxer.platform.dataplane.wire.Transport;
import dev.sandboxer.platform.problem.ErrorCode;
import dev.sandboxer.platform.problem.ProblemException;
import dev.sandboxer.platform.token.Capability;
import io.vertx.core.buffer.Buffer;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a boxd in the hands of hostile code may answer to the platform itself. */
class SandboxCallsTest {

  private static final Duration LIMIT = Duration.ofSeconds(60);
  private static final Command COMMAND = Command.of(LIMIT, "true");
  private static final String OK = "HTTP/1.1 200 OK\r\n";
  private static final String EXIT =
      "{\"type\":\"exit\",\"exit_code\":0,\"signal\":null,\"duration_ms\":1,\"timed_out\":false}\n";
  private static final String MEGABYTE = "x".repeat(1 << 20);

  private static final Map<String, String> NONSENSE =
      Map.ofEntries(
          Map.entry("no JSON", "nonsense\n"),
          Map.entry("null", "null\n"),
          Map.entry("an array", "[1]\n"),
          Map.entry("an empty reply", ""),
          Map.entry("a blank line", "\n" + EXIT),
          Map.entry("no type", "{}\n" + EXIT),
          Map.entry("a type that is no text", "{\"type\":7}\n" + EXIT),
          Map.entry("no end", "{\"type\":\"stdout\",\"data\":\"x\"}\n"),
          Map.entry("no line's end", EXIT.strip()),
          Map.entry("output without data", "{\"type\":\"stdout\"}\n" + EXIT),
          Map.entry("data that is no text", "{\"type\":\"stderr\",\"data\":{}}\n" + EXIT),
          Map.entry(
              "bad base64",
              "{\"type\":\"stdout\",\"data\":\"*\",\"encoding\":\"base64\"}\n" + EXIT),
          Map.entry("two ends", EXIT + EXIT),
          Map.entry("output after the end", EXIT + "{\"type\":\"stdout\",\"data\":\"x\"}\n"),
          Map.entry("no exit code and no signal", EXIT.replace(":0", ":null")),
          Map.entry("an exit code and a signal", EXIT.replace("null", "\"SIGKILL\"")),
          Map.entry("an exit code over 255", EXIT.replace(":0", ":256")),
          Map.entry("an exit code below 0", EXIT.replace(":0", ":-1")),
          Map.entry(
              "a signal's name with a break",
              EXIT.replace(":0", ":null").replace("\":null,\"d", "\":\"SIG\\nX\",\"d")),
          Map.entry("a negative duration", EXIT.replace(":1", ":-1")),
          Map.entry("no word on time", EXIT.replace(",\"timed_out\":false", "")),
          Map.entry(
              "more output than asked for",
              ("{\"type\":\"stdout\",\"data\":\"" + "x".repeat(200_000) + "\"}\n").repeat(6)
                  + EXIT),
          Map.entry("a line without end", "{\"type\":\"stdout\",\"data\":\"" + MEGABYTE),
          Map.entry("deep nesting", "{\"type\":".repeat(30_000) + "\n" + EXIT));

  private final RelayHarness relay = new RelayHarness();
  private final ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();

  @AfterEach
  void close() {
    threads.shutdownNow();
    relay.close();
  }

  private static String reply(String body) {
    return OK
        + "Content-Length: "
        + body.getBytes(StandardCharsets.ISO_8859_1).length
        + "\r\n\r\n"
        + body;
  }

  private Answer get(String path, Duration limit, int most) throws InterruptedException {
    return relay.calls.call(RelayHarness.ID, Capability.FS_READ, "GET", path, null, limit, most);
  }

  private static void fails(ThrowingCallable call, ErrorCode code, String message) {
    assertThatThrownBy(call)
        .as(message)
        .isInstanceOfSatisfying(
            ProblemException.class,
            e -> {
              assertThat(e.problem().code()).isEqualTo(code);
              assertThat(e.problem().detail()).contains(message).hasSizeLessThan(700);
            });
  }

  private void commandFails(String answer, ErrorCode code, String message) throws IOException {
    try (HostileBoxd boxd = HostileBoxd.answering(answer)) {
      relay.put(1, 0, boxd.address());
      fails(() -> relay.commands.run(RelayHarness.ID, COMMAND), code, message);
    }
  }

  @Test
  void status_and_body_are_returned_as_they_are() throws Exception {
    try (HostileBoxd boxd =
        HostileBoxd.answering("HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nhi")) {
      relay.put(1, 0, boxd.address());
      assertThat(get("/v1/files/stat?path=x", LIMIT, 2))
          .isEqualTo(new Answer(404, Buffer.buffer("hi")));
      assertThat(boxd.heads().getFirst())
          .startsWith("GET /v1/files/stat?path=x HTTP/1.1\r\n")
          .contains("\r\nAuthorization: Bearer ey")
          .contains("\r\nX-Request-Id: req_");
    }
  }

  @Test
  void a_larger_body_than_asked_for_is_not_read() throws Exception {
    try (HostileBoxd boxd = HostileBoxd.answering(reply(MEGABYTE))) {
      relay.put(1, 0, boxd.address());
      fails(
          () -> get("/v1/x", LIMIT, 1000),
          ErrorCode.SANDBOX_UNREACHABLE,
          "a reply larger than 1000 bytes");
    }
  }

  @Test
  void no_answer_in_time_ends_the_exchange() throws Exception {
    try (HostileBoxd boxd =
        new HostileBoxd((in, out) -> in.transferTo(OutputStream.nullOutputStream()))) {
      relay.put(1, 0, boxd.address());
      fails(
          () -> get("/v1/x", Duration.ofMillis(300), 1000),
          ErrorCode.SANDBOX_UNREACHABLE,
          "no answer in time");
      await().until(() -> boxd.connections() == boxd.ended());
    }
  }

  @Test
  void a_sandbox_that_is_not_in_memory_is_loaded() throws Exception {
    fails(() -> get("/v1/x", LIMIT, 10), ErrorCode.INVALID_STATE, "neither ready nor active");
    try (HostileBoxd boxd = HostileBoxd.answering(reply("hi"))) {
      relay.targets.stored.put(
          RelayHarness.ID,
          new Target(RelayHarness.ID, RelayHarness.TENANT, 1, 0, Transport.of(boxd.address())));
      assertThat(get("/v1/x", LIMIT, 10).status()).isEqualTo(200);
    }
  }

  @Test
  void a_path_that_would_end_the_line_is_refused() throws Exception {
    try (HostileBoxd boxd = HostileBoxd.answering(reply("hi"))) {
      relay.put(1, 0, boxd.address());
      fails(() -> get("/v1/x\r\nX: y", LIMIT, 10), ErrorCode.VALIDATION, "control characters");
      assertThat(relay.streams.count()).isZero();
      assertThat(boxd.heads()).isEmpty();
    }
  }

  @Test
  void what_is_unreachable_says_why() {
    relay.targets.known.put(
        RelayHarness.ID,
        new Target(
            RelayHarness.ID,
            RelayHarness.TENANT,
            1,
            0,
            new Transport.Unreachable("its node 'two' does not run")));
    fails(
        () -> get("/v1/x", LIMIT, 10),
        ErrorCode.SANDBOX_UNREACHABLE,
        "cannot be reached: its node 'two' does not run");
  }

  /** As many as clients may have open, whom they share the number with. */
  @Test
  void more_calls_at_once_than_a_sandbox_may_have_are_refused() throws Exception {
    try (HostileBoxd boxd =
        new HostileBoxd((in, out) -> in.transferTo(OutputStream.nullOutputStream()))) {
      relay.put(1, 0, boxd.address());
      List<Future<Answer>> open = new ArrayList<>();
      for (int i = 0; i < 192; i++) {
        open.add(threads.submit(() -> get("/v1/x", LIMIT, 10)));
      }
      await().until(() -> relay.streams.count() == 192);
      fails(() -> get("/v1/x", LIMIT, 10), ErrorCode.RATE_LIMITED, "too many open requests");
      open.forEach(each -> each.cancel(true));
      await().until(() -> relay.streams.count() == 0);
      await().until(() -> boxd.connections() == boxd.ended());
    }
  }

  @Test
  void what_are_no_frames_of_a_command_is_a_bad_gateway() throws Exception {
    for (Map.Entry<String, String> each : NONSENSE.entrySet()) {
      try (HostileBoxd boxd = HostileBoxd.answering(reply(each.getValue()))) {
        relay.put(1, 0, boxd.address());
        assertThatThrownBy(() -> relay.commands.run(RelayHarness.ID, COMMAND))
            .as(each.getKey())
            .isInstanceOfSatisfying(
                ProblemException.class,
                e -> assertThat(e.problem().code()).isEqualTo(ErrorCode.SANDBOX_UNREACHABLE))
            .hasMessageContaining("it ");
        assertThat(relay.streams.count()).isZero();
      }
    }
  }

  @Test
  void frames_without_end_are_cut() throws Exception {
    String frame = "{\"type\":\"ready\",\"x\":\"" + "x".repeat(60_000) + "\"}\n";
    byte[] chunk =
        (Integer.toHexString(frame.length()) + "\r\n" + frame + "\r\n")
            .getBytes(StandardCharsets.US_ASCII);
    try (HostileBoxd boxd =
        new HostileBoxd(
            (in, out) -> {
              out.write(
                  (OK + "Transfer-Encoding: chunked\r\n\r\n").getBytes(StandardCharsets.US_ASCII));
              while (true) {
                out.write(chunk);
              }
            })) {
      relay.put(1, 0, boxd.address());
      fails(
          () -> relay.commands.run(RelayHarness.ID, COMMAND),
          ErrorCode.SANDBOX_UNREACHABLE,
          "too many frames without output");
      await().until(() -> boxd.ended() == 1);
    }
  }

  @Test
  void of_refusals_only_known_codes_and_a_short_message_are_passed_on() throws Exception {
    String long_ = "m".repeat(5_000);
    commandFails(refusal(400, "VALIDATION", long_), ErrorCode.VALIDATION, "mmm");
    commandFails(refusal(429, "PROCESS_LIMIT", "full"), ErrorCode.QUOTA_EXCEEDED, "full");
    commandFails(refusal(401, "UNAUTHENTICATED", "x"), ErrorCode.SANDBOX_UNREACHABLE, "status 401");
    commandFails(refusal(503, "OVERLOADED", "x"), ErrorCode.SANDBOX_UNREACHABLE, "status 503");
    for (String body : List.of("", "null", "[]", "{}", "{\"error\":7}", "<html>")) {
      commandFails(
          "HTTP/1.1 400 Bad\r\nContent-Length: " + body.length() + "\r\n\r\n" + body,
          ErrorCode.SANDBOX_UNREACHABLE,
          "status 400");
    }
    commandFails(
        "HTTP/1.1 400 Bad\r\nContent-Length: 1048576\r\n\r\n" + MEGABYTE,
        ErrorCode.SANDBOX_UNREACHABLE,
        "larger than");
  }

  private static String refusal(int status, String code, String message) {
    String body =
        "{\"error\":{\"code\":\"%s\",\"message\":\"%s\",\"retryable\":true}}"
            .formatted(code, message);
    return "HTTP/1.1 %d X\r\nContent-Length: %d\r\n\r\n%s".formatted(status, body.length(), body);
  }
}
