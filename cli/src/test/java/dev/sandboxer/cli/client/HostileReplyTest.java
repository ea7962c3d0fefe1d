package dev.sandboxer.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import dev.sandboxer.testing.sandbox.LyingSandbox;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Who answers without end is given up, and little of it is held. */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileReplyTest {
  private static final int BROKEN = 125;
  private static final long MOST_TAKEN = 64L << 20;

  private StandIn platform;

  @BeforeEach
  void start() throws IOException {
    platform = new StandIn();
  }

  @AfterEach
  void stop() throws IOException {
    platform.close();
  }

  private static LyingSandbox endless(int status) throws IOException {
    byte[] piece = new byte[64 << 10];
    Arrays.fill(piece, (byte) ' ');
    return new LyingSandbox(
        line -> {
          line.send(
              ("HTTP/1.1 " + status + " So\r\nConnection: close\r\n\r\n")
                  .getBytes(StandardCharsets.US_ASCII));
          while (true) {
            line.send(piece);
          }
        });
  }

  private static String url(LyingSandbox liar) {
    return liar.webSocketUrl(StandIn.ID).replace("ws:", "http:");
  }

  private static void isGivenUp(LyingSandbox liar, CommandLineRun call, String... words) {
    assertThat(call.run(words)).as(call.err()).isEqualTo(BROKEN);
    assertThat(call.err()).doesNotContain("defect");
    assertThat(liar.written()).isLessThan(MOST_TAKEN);
  }

  private static String grant(String http, String webSocket) {
    return new JsonObject()
        .put("sandbox_id", StandIn.ID)
        .put("http_base_url", http)
        .put("ws_base_url", webSocket)
        .put("token", StandIn.TOKEN)
        .put("expires_at", "2100-01-01T00:00:00Z")
        .encode();
  }

  @ParameterizedTest
  @CsvSource({"200, ls", "200, profiles", "403, ls", "403, events --follow", "500, keys"})
  void aPlatformsReply(int status, String words) throws IOException {
    try (LyingSandbox liar = endless(status)) {
      String url = url(liar).replaceFirst("/dp/.*", "");
      CommandLineRun run =
          new CommandLineRun().with("SANDBOXER_URL", url).with("SANDBOXER_KEY", StandIn.KEY);
      isGivenUp(liar, run, words.split(" ", -1));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "200, ps SANDBOX",
    "500, ps SANDBOX",
    "200, logs SANDBOX p",
    "404, cp SANDBOX:note copy",
    "200, cp SANDBOX:note copy"
  })
  void aSandboxsReply(int status, String words) throws IOException {
    try (LyingSandbox liar = endless(status)) {
      String grant = grant(url(liar), liar.webSocketUrl(StandIn.ID));
      platform.next("GET /v1/sandboxes/" + StandIn.ID + "/access", StandIn.text(200, grant));
      isGivenUp(
          liar,
          CommandLineRun.against(platform),
          words.replace("SANDBOX", StandIn.ID).split(" ", -1));
    }
  }

  @ParameterizedTest
  @CsvSource({
    "http:///v1, ws://127.0.0.1:9/v1, http_base_url is 'http:///v1'",
    "'', ws://127.0.0.1:9/v1, http_base_url is ''",
    "ftp://127.0.0.1/v1, ws://127.0.0.1:9/v1, http_base_url is 'ftp:",
    "http://127.0.0.1:9/v1, ws:///v1, ws_base_url is 'ws:///v1'",
    "http://127.0.0.1:9/v1, ws:v1, ws_base_url is 'ws:v1'",
    "http://127.0.0.1:9/v1, http://127.0.0.1:9/v1, ws_base_url is 'http:",
    "http://[::, ws://127.0.0.1:9/v1, http://[::"
  })
  void aGrantThatLeadsNowhere(String http, String webSocket, String told) {
    platform.next(
        "GET /v1/sandboxes/" + StandIn.ID + "/access", StandIn.text(200, grant(http, webSocket)));
    CommandLineRun call = CommandLineRun.against(platform);
    assertThat(call.run("exec", StandIn.ID, "--", "true")).as(call.err()).isEqualTo(BROKEN);
    assertThat(call.err()).contains("the platform's grant cannot be read", told);
  }
}
