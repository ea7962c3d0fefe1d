package dev.sandboxer.platform.api.langbot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.platform.testing.Restricted;
import dev.sandboxer.testing.client.Api;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.net.http.WebSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A session has the network that it asks for, or is refused. */
@QuarkusTest
@TestProfile(Restricted.class)
class NetworksTest {

  private final Api api = InProcess.api();
  private final Heard heard = new Heard();

  private WebSocket socket;

  @BeforeEach
  void connect() {
    socket = heard.connect(api, Restricted.LANGBOT_TOKEN);
  }

  @AfterEach
  void disconnect() {
    socket.abort();
  }

  private JsonNode call(String action, String data) {
    String context =
        "{'instance_uuid': 'inst', 'workspace_uuid': 'networks', 'placement_generation': 1}";
    String message =
        "{'seq_id': 1, 'action': '%s', 'data': %s, 'context': %s}"
            .formatted(action, data, context)
            .replace('\'', '"');
    socket.sendText(message, true).join();
    return heard.next();
  }

  private void use(String profile) {
    JsonNode reply = call("box_init", "{'local': {'profile': '%s'}}".formatted(profile));
    assertThat(reply.path("code").asInt()).as(reply.toString()).isZero();
  }

  private JsonNode session(String network) {
    return call("box_create_session", "{'session_id': 's', 'network': '%s'}".formatted(network));
  }

  @Test
  void offIsOffWhereTheProfileHasANetworkByDefault() throws IOException {
    use(
        InProcess.profile(
            """
            extends: local@1
            inputs: {network: {type: enum, values: [none, public], default: public}}
            network: {mode: "${inputs.network}"}
            """));
    JsonNode made = session("off").path("data");
    assertThat(made.path("network").asText()).as(made.toString()).isEqualTo("off");
    String sandbox = made.path("backend_session_id").asText();
    assertThat(api.access(sandbox).exec("sh", "-c", "env | grep -ci proxy").field("/stdout"))
        .isEqualTo("0\n");
    assertThat(session("on").path("message").asText())
        .startsWith(
            "BoxSessionConflictError: the session already exists with network=off (requested: on);");
    assertThat(session("off").path("data").path("backend_session_id").asText()).isEqualTo(sandbox);
    assertThat(call("box_delete_session", "{'session_id': 's'}").path("code").asInt()).isZero();
  }

  @Test
  void onIsRefusedWhereTheProfileHasNone() {
    use("local");
    assertThat(session("on").path("message").asText())
        .startsWith(
            "BoxValidationError: network 'on' cannot be had: profile 'local' never has a network");
  }

  @Test
  void offIsRefusedWhereTheProfileAlwaysHasOne() throws IOException {
    String profile = InProcess.profile("extends: local@1\nnetwork: {mode: public}\n");
    use(profile);
    assertThat(session("off").path("message").asText())
        .startsWith(
            "BoxValidationError: network 'off' cannot be had: profile '%s' always has a network"
                .formatted(profile));
  }
}
