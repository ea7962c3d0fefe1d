package dev.sandboxer.cli.dataplane;

import static dev.sandboxer.testing.sandbox.LyingSandbox.frame;
import static dev.sandboxer.testing.sandbox.LyingSandbox.output;
import static dev.sandboxer.testing.sandbox.LyingSandbox.text;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import dev.sandboxer.cli.terminal.Interrupts;
import dev.sandboxer.testing.sandbox.LyingSandbox;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A sandbox whose WebSockets say what no honest one does: the calls end with a clear error, hold
 * little of it, and nothing but a command's own output reaches the terminal as it came.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileSocketTest {
  private static final int BROKEN = 125;
  private static final int FIN = 0x80;
  private static final long MOST_TAKEN = 64L << 20;
  private static final String EVIL = "\u001b]0;owned\u0007\u001b[2J\u202e";
  private static final String EXIT = "{\"type\":\"exit\",\"exit_code\":0,\"duration_ms\":1}";
  private static final Pattern LOCAL = Pattern.compile("127\\.0\\.0\\.1:([0-9]+) -> 80");

  private StandIn platform;

  @BeforeEach
  void start() throws IOException {
    platform = new StandIn();
  }

  @AfterEach
  void stop() throws IOException {
    platform.close();
  }

  /** Grants of the platform lead to the liar from now on. */
  private void grants(LyingSandbox liar) {
    String grant =
        new JsonObject()
            .put("sandbox_id", StandIn.ID)
            .put("http_base_url", platform.url() + "/dp/" + StandIn.ID + "/v1")
            .put("ws_base_url", liar.webSocketUrl(StandIn.ID))
            .put("token", StandIn.TOKEN)
            .put("expires_at", "2100-01-01T00:00:00Z")
            .encode();
    for (int i = 0; i < 5; i++) {
      platform.next("GET /v1/sandboxes/" + StandIn.ID + "/access", StandIn.text(200, grant));
    }
  }

  private CommandLineRun call(LyingSandbox liar, int code, String... arguments) {
    grants(liar);
    platform.next(
        "GET /dp/" + StandIn.ID + "/v1/processes/p",
        StandIn.text(200, "{\"stdout\":{\"next\":9},\"stderr\":{\"next\":0}}"));
    CommandLineRun call = CommandLineRun.against(platform);
    assertThat(call.run(arguments)).as(call.err()).isEqualTo(code);
    assertThat(call.err()).doesNotContain("\u001b", "\u0007", "\u202e", "defect");
    return call;
  }

  private static String[] exec() {
    return new String[] {"exec", StandIn.ID, "--", "true"};
  }

  private static String[] logs() {
    return new String[] {"logs", StandIn.ID, "p"};
  }

  /** Both verbs that read frames. */
  static Stream<Arguments> verbs() {
    return Stream.of(arguments((Object) exec()), arguments((Object) logs()));
  }

  @ParameterizedTest
  @MethodSource("verbs")
  void errorsAreShownWithoutTheirControlCharacters(String[] verb) throws IOException {
    String error =
        new JsonObject().put("type", "error").put("code", EVIL).put("message", EVIL).encode();
    try (LyingSandbox liar = LyingSandbox.sending(text(error))) {
      assertThat(call(liar, BROKEN, verb).err()).contains("\\u001b]0;owned\\u0007");
    }
  }

  @ParameterizedTest
  @MethodSource("verbs")
  void aReasonToCloseIsShownWithoutItsControlCharacters(String[] verb) throws IOException {
    byte[] reason = ("\u0003\u00e8" + EVIL.substring(0, 9)).getBytes(StandardCharsets.ISO_8859_1);
    try (LyingSandbox liar = LyingSandbox.sending(frame(FIN | 8, reason))) {
      assertThat(call(liar, BROKEN, verb).err()).containsPattern("closed .*\\(1000");
    }
  }

  @ParameterizedTest
  @MethodSource("verbs")
  void aMessageWithoutEndIsGivenUp(String[] verb) throws IOException {
    byte[] piece = new byte[64 << 10];
    Arrays.fill(piece, (byte) ' ');
    try (LyingSandbox liar =
        new LyingSandbox(
            line -> {
              line.accept();
              line.send(frame(1, piece));
              while (true) {
                line.send(frame(0, piece));
              }
            })) {
      assertThat(call(liar, BROKEN, verb).err()).contains("an endless message");
      assertThat(liar.written()).isLessThan(MOST_TAKEN);
    }
  }

  /** What breaks the rules of HTTP or of WebSockets. */
  static Stream<Arguments> broken() {
    byte[] huge = {(byte) (FIN | 2), 127, 127, -1, -1, -1, -1, -1, -1, -1};
    return Stream.of(
        arguments("masked", new byte[][] {{(byte) (FIN | 1), (byte) 0x81, 0, 0, 0, 0, 1}}),
        arguments("unknown opcode", new byte[][] {frame(FIN | 5, new byte[1])}),
        arguments("reserved bits", new byte[][] {frame(0xf1, new byte[1])}),
        arguments("no UTF-8", new byte[][] {frame(FIN | 1, new byte[] {(byte) 0xff})}),
        arguments("a long ping", new byte[][] {frame(FIN | 9, new byte[300])}),
        arguments("a ping in two", new byte[][] {frame(9, new byte[1])}),
        arguments("nothing continued", new byte[][] {frame(FIN, new byte[1])}),
        arguments(
            "a size of 2^63", new byte[][] {huge, new byte[1000], frame(FIN | 8, new byte[0])}));
  }

  /** Accepts the WebSocket, sends these and is gone. */
  private static LyingSandbox breakingOff(byte[][] frames) throws IOException {
    return new LyingSandbox(
        line -> {
          line.accept();
          for (byte[] one : frames) {
            line.send(one);
          }
        });
  }

  @ParameterizedTest
  @MethodSource("broken")
  void brokenFramesEndTheCall(String what, byte[][] frames) throws IOException {
    try (LyingSandbox liar = breakingOff(frames)) {
      assertThat(call(liar, BROKEN, exec()).err()).as(what).contains("connection");
    }
  }

  @ParameterizedTest
  @MethodSource("broken")
  void brokenFramesEndALog(String what, byte[][] frames) throws IOException {
    try (LyingSandbox liar = breakingOff(frames)) {
      assertThat(call(liar, BROKEN, logs()).err()).as(what).contains("connection");
    }
  }

  @Test
  void noRedirectIsFollowed() throws IOException {
    try (LyingSandbox elsewhere = LyingSandbox.sending();
        LyingSandbox liar =
            LyingSandbox.answering(
                "HTTP/1.1 302 Found\r\nLocation: "
                    + elsewhere.webSocketUrl(StandIn.ID).replace("ws:", "http:")
                    + "\r\nContent-Length: 0\r\n\r\n")) {
      assertThat(call(liar, BROKEN, exec()).err()).contains("answered 302");
      assertThat(elsewhere.heads()).isEmpty();
    }
  }

  @Test
  void answersThatAreNoHandshakeAreRefused() throws IOException {
    for (String answer :
        new String[] {
          """
          HTTP/1.1 101 Switching Protocols
          Upgrade: websocket
          Connection: Upgrade
          Sec-WebSocket-Accept: AAAAAAAAAAAAAAAAAAAAAAAAAAA=

          """
              .replace("\n", "\r\n"),
          "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}",
          "SSH-2.0-OpenSSH\r\n\r\n",
          "HTTP/1.1 101 " + EVIL.substring(0, 12) + "\r\nX: " + "x".repeat(1 << 20) + "\r\n\r\n"
        }) {
      try (LyingSandbox liar = LyingSandbox.answering(answer)) {
        call(liar, BROKEN, exec());
      }
    }
  }

  @Test
  void framesThatMeanNothingArePassedOver() throws IOException {
    try (LyingSandbox liar =
        LyingSandbox.sending(
            text("not json"),
            text("[".repeat(100_000)),
            text("{\"type\":[{}]}"),
            text("{\"type\":\"ready\",\"pid\":" + "9".repeat(2000) + "}"),
            text("{\"type\":\"ready\",\"pid\":{}}"),
            frame(FIN | 2, new byte[0]),
            output(7, "no such channel"),
            output(1, "out\n"),
            text("{\"type\":\"exit\",\"exit_code\":3,\"signal\":{},\"duration_ms\":\"x\"}"),
            output(1, "after the end\n"),
            text(EXIT))) {
      assertThat(call(liar, 3, exec()).out()).isEqualTo("out\n");
    }
  }

  @Test
  void aLogWithLiesAboutItsOffsetsEnds() throws IOException {
    try (LyingSandbox liar =
        LyingSandbox.sending(
            text(
                "{\"type\":\"gap\",\"stream\":\"" + "x".repeat(1000) + "\",\"from\":-5,\"to\":-9}"),
            text(
                "{\"type\":\"gap\",\"stream\":\"stderr\",\"from\":9,\"to\":"
                    + Long.MAX_VALUE
                    + "}"),
            output(2, "e"),
            text("{\"type\":\"gap\",\"stream\":\"stdout\",\"from\":9,\"to\":3}"),
            output(1, "sixsix"))) {
      CommandLineRun log = call(liar, 0, logs());
      assertThat(log.out()).isEqualTo("sixsix");
    }
  }

  @Test
  void aPortsLiesAreToldAndItsStreamDoesNotLookWhole() throws Exception {
    String error =
        new JsonObject().put("type", "error").put("code", "X").put("message", EVIL).encode();
    try (LyingSandbox liar = LyingSandbox.sending(output('a', "b"), text("}{"), text(error))) {
      grants(liar);
      platform.next("GET /dp/" + StandIn.ID + "/v1/ports", StandIn.text(200, "{\"items\":[]}"));
      CompletableFuture<Interrupts> signals = new CompletableFuture<>();
      CommandLineRun forward = CommandLineRun.against(platform);
      CompletableFuture<Integer> end = forward.start(signals, "port-forward", StandIn.ID, "0:80");
      try (Socket local = new Socket(InetAddress.getLoopbackAddress(), port(forward))) {
        assertThat(local.getInputStream().readNBytes(2)).isEqualTo(new byte[] {'a', 'b'});
        org.assertj.core.api.Assertions.assertThatThrownBy(() -> local.getInputStream().read())
            .as("reset, not ended")
            .isInstanceOf(IOException.class);
      }
      signals.get().arrive("INT");
      assertThat(end.get(30, TimeUnit.SECONDS)).isEqualTo(130);
      assertThat(forward.err()).contains("port 80: \\u001b]0;owned").doesNotContain("\u001b");
    }
  }

  private static int port(CommandLineRun forward) {
    org.awaitility.Awaitility.await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> LOCAL.matcher(forward.out()).find());
    Matcher found = LOCAL.matcher(forward.out());
    assertThat(found.find()).isTrue();
    return Integer.parseInt(found.group(1));
  }
}
