package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** The session door: both shapes, refresh, heartbeat, release, and every error. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class SessionsTest {

  private static final String PATH = "/v1/sandbox/sessions";

  private Platform platform;
  private Api api;

  @BeforeAll
  void start() {
    platform = Platform.start(Map.of());
    api = platform.api();
  }

  @AfterAll
  void stop() {
    platform.close();
  }

  @Test
  void theShortShapeFromGetToRelease() {
    String get =
        """
        {
          "thread_id": "thr_123",
          "mode": "get"
        }
        """;
    Api.Reply none = api.post(PATH, get);
    assertThat(none.status()).as(none.text()).isEqualTo(404);
    assertThat(none.code()).isEqualTo("SESSION_NOT_FOUND");

    Api.Reply made = api.post(PATH, get.replace("\"get\"", "\"ensure\""));
    assertThat(made.status()).as(made.text()).isEqualTo(200);
    JsonNode session = made.json();
    assertThat(session.path("thread_id").asText()).isEqualTo("thr_123");
    assertThat(session.path("sandbox").path("provider").asText()).isEqualTo("ext.nsjail");
    assertThat(session.path("expires_at").asText()).endsWith("Z");
    String id = session.path("session_id").asText();
    assertThat(inside(session).exec("echo", "hi").field("/stdout")).isEqualTo("hi\n");

    Api.Reply again = api.post(PATH, get);
    assertThat(again.field("/session_id")).isEqualTo(id);
    assertThat(again.field("/sandbox/id")).isEqualTo(session.path("sandbox").path("id").asText());

    Api.Reply refreshed = api.post(PATH + "/" + id + "/refresh", "{}");
    assertThat(refreshed.status()).as(refreshed.text()).isEqualTo(200);
    assertThat(refreshed.field("/token")).isNotEqualTo(session.path("token").asText());

    Api.Reply released = api.delete(PATH + "/" + id);
    assertThat(released.status()).isEqualTo(204);
    assertThat(released.text()).isEmpty();
    assertThat(api.post(PATH + "/" + id + "/refresh", "{}").status()).isEqualTo(410);
    assertThat(api.post(PATH, get).status()).isEqualTo(404);
    String sandbox = session.path("sandbox").path("id").asText();
    await()
        .atMost(Duration.ofSeconds(30))
        .until(() -> api.get("/v1/sandboxes/" + sandbox).field("/state").equals("destroyed"));
    assertThat(api.get("/v1/sandboxes/" + sandbox).field("/end_reason")).isEqualTo("released");
    assertThat(Host.jailsOf(sandbox)).isEmpty();
  }

  private Api.Dataplane inside(JsonNode session) {
    return new Api.Dataplane(
        new Api(api.base(), session.path("token").asText()),
        session.path("sandbox").path("http_base_url").asText());
  }

  static String thread() {
    return "thr_" + UUID.randomUUID();
  }
}
