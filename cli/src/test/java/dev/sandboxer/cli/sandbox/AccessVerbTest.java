package dev.sandboxer.cli.sandbox;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.sandboxer.cli.support.CommandLineRun;
import dev.sandboxer.cli.support.StandIn;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class AccessVerbTest {

  @Test
  void aShellReadsExactlyTheValues() throws IOException, InterruptedException {
    String odd = "a'b \"c\" $(touch /tmp/never) `x` \\ \n;d";
    try (StandIn platform = new StandIn()) {
      platform.next(
          "GET /v1/sandboxes/" + StandIn.ID + "/access",
          StandIn.text(
              200,
              new JsonObject()
                  .put("sandbox_id", StandIn.ID)
                  .put("http_base_url", "http://127.0.0.1/x")
                  .put("ws_base_url", "ws://127.0.0.1/x")
                  .put("token", odd)
                  .put("expires_at", "2100-01-01T00:00:00Z")
                  .encode()));
      CommandLineRun access = CommandLineRun.against(platform);
      assertThat(access.run("access", StandIn.ID, "--env")).isZero();
      assertThat(access.err()).contains("warning: this holds a token").doesNotContain(odd);
      Process shell =
          new ProcessBuilder(
                  "sh", "-c", "eval \"$1\"; printf %s \"$SANDBOXER_DP_TOKEN\"", "sh", access.out())
              .start();
      assertThat(new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
          .isEqualTo(odd);
      assertThat(shell.waitFor()).isZero();
    }
  }

  @Test
  void jsonIsTheApisBodyAndStandardOutputHoldsNothingElse() throws IOException {
    try (StandIn platform = new StandIn()) {
      CommandLineRun access = CommandLineRun.against(platform);
      assertThat(access.run("access", StandIn.ID, "--json")).isZero();
      assertThat(new ObjectMapper().readTree(access.out()).path("token").asText())
          .isEqualTo(StandIn.TOKEN);
      assertThat(access.err()).contains("warning");
      assertThat(CommandLineRun.against(platform).run("access", StandIn.ID, "--env", "--json"))
          .isEqualTo(2);
    }
  }
}
