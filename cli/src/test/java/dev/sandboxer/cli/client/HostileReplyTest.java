package dev.sandboxer.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.LyingSandbox;
import dev.sandboxer.cli.support.StandIn;
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
    return liar.webSocketUrl().replace("ws:", "http:");
  }

  private static void isGivenUp(LyingSandbox liar, CommandLineRun call, String... words) {
    assertThat(call.run(words)).as(call.err()).isEqualTo(BROKEN);
    assertThat(call.err()).doesNotContain("defect");
    assertThat(liar.written()).isLessThan(MOST_TAKEN);
  }

  @ParameterizedTest
  @CsvSource({"200, ls", "200, profiles", "403, ls", "403, events --follow", "500, keys"})
  void aPlatformsReply(int status, String words) throws IOException {
    try (LyingSandbox liar = endless(status)) {
      String url = url(liar).replaceFirst("/dp/.*", "");
      isGivenUp(liar, new CommandLineRun().with("SANDBOXER_URL", url), words.split(" ", -1));
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
      String grant =
          new JsonObject()
              .put("sandbox_id", StandIn.ID)
              .put("http_base_url", url(liar))
              .put("ws_base_url", liar.webSocketUrl())
              .put("token", StandIn.TOKEN)
              .put("expires_at", "2100-01-01T00:00:00Z")
              .encode();
      platform.next("GET /v1/sandboxes/" + StandIn.ID + "/access", StandIn.text(200, grant));
      isGivenUp(
          liar,
          CommandLineRun.against(platform),
          words.replace("SANDBOX", StandIn.ID).split(" ", -1));
    }
  }
}
