package dev.sandboxer.platform.api.langbot;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.platform.testing.Restricted;
import dev.sandboxer.testing.client.Api;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a client of LangBot's door must not get away with. */
@QuarkusTest
@TestProfile(Restricted.class)
class BadClientsTest {

  private static final String TOKEN = Restricted.LANGBOT_TOKEN;

  private final Api api = InProcess.api();
  private final HttpClient http = HttpClient.newHttpClient();

  private WebSocket connect(Heard heard) {
    return heard.connect(api, TOKEN);
  }

  @ParameterizedTest
  @CsvSource({
    "/rpc/ws, 0123456789abcdeX, inst",
    "/rpc/ws, 0123456789abcde, inst",
    "/rpc/ws, 0123456789abcdef0, inst",
    "/rpc/ws, 0123456789abcdef, in st",
    "/rpc/ws, 0123456789abcdef, /",
    "/v1/sessions/s/managed-process/p/ws, 0123456789abcdeX, inst",
    "/v1/sessions/s/managed-process/p/ws, 0123456789abcdef, inst",
    "/v1/sessions/s/managed-process/ws, 0123456789abcdef, inst"
  })
  void whoeverHasNotAllCredentialsIsRefused(String path, String token, String instance) {
    try {
      new Heard().connect(api, path, token, instance).abort();
      throw new AssertionError("connected");
    } catch (CompletionException e) {
      assertThat(e.getCause())
          .isInstanceOfSatisfying(
              WebSocketHandshakeException.class,
              refused -> assertThat(refused.getResponse().statusCode()).isEqualTo(401));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"hello", "[]", "null", "\"x\"", "{", "{\"seq_id\": 1"})
  void whatIsNoObjectGetsAnError(String message) {
    Heard heard = new Heard();
    WebSocket socket = connect(heard);
    socket.sendText(message, true).join();
    JsonNode reply = heard.next();
    assertThat(reply.path("code").asInt()).isEqualTo(1);
    assertThat(reply.path("message").asText()).startsWith("BoxValidationError: ");
    socket.sendText("{\"seq_id\": 7, \"action\": \"__ping\", \"data\": {}}", true).join();
    assertThat(heard.next().path("seq_id").asInt()).isEqualTo(7);
    socket.abort();
  }

  @Test
  void aNumberIsFreeOnceItsReplyIsThere() {
    Heard heard = new Heard();
    WebSocket socket = connect(heard);
    for (int i = 0; i < 1_000; i++) {
      socket.sendText("{\"seq_id\": 1, \"action\": \"box_fly\", \"data\": {}}", true).join();
      assertThat(heard.next().path("message").asText())
          .as("call %d", i)
          .startsWith("BoxError: action 'box_fly' is not known");
    }
    socket.abort();
  }

  @Test
  void whoeverSendsNothingElseIsClosed() {
    Heard heard = new Heard();
    WebSocket socket = connect(heard);
    for (int i = 0; i < 16; i++) {
      socket.sendText("x", true).join();
    }
    heard.awaitClosed(1007);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "{'action': 'box_fly', 'data': {}}|BoxError: action 'box_fly' is not known",
        "{'action': 'box_exec'}|BoxValidationError: field 'data' must be an object",
        "{'data': {}}|BoxValidationError: field 'action' is missing",
        "{'action': 'box_status', 'data': {}}|BoxAdmissionError: this action needs a context",
        "{'action': 'box_exec', 'data': {'session_id': 's', 'cmd': 'true', 'colour': 1}}|BoxValidationError: unknown fields [colour]",
        "{'action': 'box_exec', 'data': {'cmd': 'true'}}|BoxValidationError: field 'session_id' is missing",
        "{'action': 'box_exec', 'data': {'session_id': 's'}}|BoxValidationError: cmd must not be empty",
        "{'action': 'box_exec', 'data': {'session_id': 's', 'cmd': 'true', 'timeout_sec': 0}}|BoxValidationError: field 'timeout_sec' must be 1 to",
        "{'action': 'box_exec', 'data': {'session_id': 's', 'cmd': 'true', 'cpus': 'x'}}|BoxValidationError: field 'cpus' must be a number",
        "{'action': 'box_exec', 'data': {'session_id': 's', 'cmd': 'true', 'network': 'half'}}|BoxValidationError: field 'network' must be one of",
        "{'action': 'box_exec', 'data': {'session_id': 's', 'cmd': 'true', 'extra_mounts': [1]}}|BoxValidationError: field 'extra_mounts' must be a list of objects",
        "{'action': 'box_create_session', 'data': {'session_id': 's', 'extra_mounts': [{'host_path': '/a/../b', 'mount_path': '/x'}]}}|BoxValidationError: field 'extra_mounts[0].host_path'",
        "{'action': 'box_create_session', 'data': {'session_id': 's', 'extra_mounts': [{'host_path': '/a', 'mount_path': '/proc/x'}]}}|BoxValidationError: field 'extra_mounts[0].mount_path'",
        "{'action': 'box_create_session', 'data': {'session_id': 's', 'extra_mounts': [{'host_path': '/a', 'mount_path': '/x', 'mode': 'ro', 'content_digest': 'sha256:ab'}]}}|BoxValidationError: field 'extra_mounts[0].content_digest' 'sha256:ab' must be",
        "{'action': 'box_create_session', 'data': {'session_id': 's', 'extra_mounts': [{'host_path': '/a', 'mount_path': '/x', 'content_digest': 'sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'}]}}|BoxValidationError: field 'extra_mounts[0].content_digest' excludes mode rw",
        "{'action': 'box_create_session', 'data': {'session_id': 's', 'extra_mounts': [{'host_path': '/a', 'mount_path': '/x', 'mode': 'ro', 'manifest_path': '/m'}]}}|BoxValidationError: field 'extra_mounts[0].manifest_path' needs content_digest",
        "{'action': 'box_create_session', 'data': {'session_id': 's', 'extra_mounts': [{'host_path': '/a', 'mount_path': '/opt/langbot-artifacts/x', 'mode': 'ro'}]}}|BoxValidationError: field 'extra_mounts[0].mount_path' must be /opt/langbot-artifacts/<hex>",
        "{'action': 'box_create_session', 'data': {'session_id': 's', 'extra_mounts': [{'host_path': '/a', 'mount_path': '/opt/langbot-artifacts/aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'mode': 'ro', 'content_digest': 'sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'}]}}|BoxValidationError: field 'extra_mounts[0].mount_path' must be /opt/langbot-artifacts/<hex>",
        "{'action': 'box_create_session', 'data': {'session_id': 's', 'extra_mounts': [{'host_path': '/a', 'mount_path': '/x', 'mode': 'ro', 'content_digest': 'sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'manifest_path': '/etc/passwd'}]}}|BoxValidationError: manifest_path /etc/passwd: /etc is outside the folders",
        "{'action': 'box_create_session', 'data': {'session_id': 's', 'host_path': '/a', 'workspace_quota_mb': 5}}|BoxValidationError: workspace_quota_mb cannot be had",
        "{'action': 'box_get_session', 'data': {'session_id': 's'}}|BoxSessionNotFoundError: session s not found",
        "{'action': 'box_start_managed_process', 'data': {'session_id': 's', 'spec': {}}}|BoxValidationError: field 'spec.command' is missing",
        "{'action': 'box_upsert_sandbox_admission_grant', 'data': {}}|BoxValidationError: field 'instance_uuid' is missing",
        "{'action': 'box_verify_shared_workspace', 'data': {'marker_name': '/etc/passwd'}}|BoxReadinessError: the marker",
        "{'action': 'box_init', 'data': {'local': 1}}|BoxValidationError: field 'local' must be an object"
      })
  void aBadCallGetsItsError(String call, String said) {
    Heard heard = new Heard();
    WebSocket socket = connect(heard);
    String context =
        "'context': {'instance_uuid': 'inst', 'workspace_uuid': 'w', 'placement_generation': 1}";
    boolean placed = !call.contains("box_status");
    String message =
        "{'seq_id': 3, %s%s"
            .formatted(placed ? context + ", " : "", call.substring(1))
            .replace('\'', '"');
    socket.sendText(message, true).join();
    JsonNode reply = heard.next();
    assertThat(reply.path("seq_id").asInt()).isEqualTo(3);
    assertThat(reply.path("code").asInt()).as(reply.toString()).isEqualTo(1);
    assertThat(reply.path("message").asText()).startsWith(said);
    socket.abort();
  }

  @Test
  void aContextOfAnotherInstanceIsRefused() {
    Heard heard = new Heard();
    WebSocket socket = connect(heard);
    socket
        .sendText(
            "{\"seq_id\": 1, \"action\": \"box_get_sessions\", \"data\": {}, \"context\":"
                + " {\"instance_uuid\": \"other\", \"workspace_uuid\": \"w\"}}",
            true)
        .join();
    assertThat(heard.next().path("message").asText()).startsWith("BoxAdmissionError: ");
    socket.abort();
  }

  @Test
  void aMessageOfMoreThan16MiBEndsTheConnection() {
    Heard heard = new Heard();
    WebSocket socket = connect(heard);
    String part = "x".repeat(1 << 20);
    for (int i = 0; i < 16 && !heard.closed(); i++) {
      socket.sendText(part, false).join();
    }
    socket.sendText("x", true).handle((sent, failure) -> failure).join();
    heard.awaitClosed(1009);
  }

  @Test
  void aMessageOfTooManyFragmentsEndsTheConnection() {
    Heard heard = new Heard();
    WebSocket socket = connect(heard);
    for (int i = 0; i < 4097 && !heard.closed(); i++) {
      socket.sendText("x", false).handle((sent, failure) -> failure).join();
    }
    heard.awaitClosed(1009);
  }

  @Test
  void aBinaryMessageEndsTheConnection() {
    Heard heard = new Heard();
    WebSocket socket = connect(heard);
    socket.sendBinary(ByteBuffer.wrap(new byte[] {1}), true).join();
    heard.awaitClosed(1003);
  }

  @Test
  void aLongMessageWithinTheLimitIsRead() {
    Heard heard = new Heard();
    WebSocket socket = connect(heard);
    socket
        .sendText(
            "{\"seq_id\": 5, \"action\": \"__ping\", \"data\": {\"x\": \"%s\"}}"
                .formatted("y".repeat(15 << 20)),
            true)
        .join();
    assertThat(heard.next().path("seq_id").asInt()).isEqualTo(5);
    socket.abort();
  }

  @Test
  void probesNeedNoToken() throws IOException, InterruptedException {
    assertThat(get("/healthz").body()).contains("\"live\":true");
    assertThat(get("/readyz").statusCode()).isIn(200, 503);
    assertThat(get("/rpc/ws").statusCode()).isEqualTo(401);
  }

  private HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return http.send(
        HttpRequest.newBuilder(URI.create(api.base() + path)).build(),
        HttpResponse.BodyHandlers.ofString());
  }
}
