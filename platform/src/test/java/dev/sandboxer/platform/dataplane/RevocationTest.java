package dev.sandboxer.platform.dataplane;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.Base64;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tokens end: by revocation, generation, key; keys rotate. */
@QuarkusTest
@TestProfile(InProcess.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RevocationTest {

  private static final Duration REFUSED = Duration.ofMinutes(1);

  private final Door door = new Door(InProcess.api());

  @Inject ViaTargets targets;

  @AfterEach
  void reset() throws IOException {
    targets.reset();
  }

  private void revoke(String body) {
    Api.Reply reply = door.api().post("/v1/revocations", body);
    assertThat(reply.status()).as(reply.text()).isEqualTo(201);
    assertThat(reply.json().path("min_epoch").asLong()).isPositive();
  }

  private void refused(Api.Dataplane inside) {
    await()
        .atMost(REFUSED)
        .pollInterval(Duration.ofMillis(20))
        .until(() -> inside.exec("true").status() == 401);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PEER")
  void aSessionsTokensEndAndItsOpenSocketsCloseAndANewTokenIsGood(Via via) throws Exception {
    targets.over(via);
    JsonNode session = door.ensure(Door.thread());
    JsonNode other = door.ensure(Door.thread());
    String id = session.path("session_id").asText();
    Api.Dataplane inside = door.inside(session);
    try (RawClient socket = socket(inside);
        RawClient untouched = socket(door.inside(other))) {
      revoke("{\"session_id\": \"%s\"}".formatted(id));
      read(socket, Ws.CLOSE);
      refused(inside);
      untouched.send(Ws.fromClient(Ws.PING, "open"));
      read(untouched, Ws.PONG);
    }
    String fresh = door.on(id, "refresh").field("/token");
    assertThat(door.inside(session, fresh).exec("true").status()).isEqualTo(200);
    assertThat(door.inside(other).exec("true").status()).isEqualTo(200);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PEER")
  void aSandboxsAndATenantsAndAllTokensEndAndNewOnesByAccessAreGood(Via via) throws Exception {
    targets.over(via);
    JsonNode session = door.ensure(Door.thread());
    revoke("{\"sandbox_id\": \"%s\"}".formatted(session.at("/sandbox/id").asText()));
    refused(door.inside(session));
    for (String body : new String[] {"{\"tenant\": \"default\"}", "{\"all\": true}"}) {
      JsonNode again = door.ensure(session.path("thread_id").asText());
      Api.Dataplane inside = door.inside(again);
      assertThat(inside.exec("true").status()).as(body).isEqualTo(200);
      try (RawClient socket = socket(inside)) {
        revoke(body);
        read(socket, Ws.CLOSE);
        refused(inside);
      }
      String path = "/v1/sandboxes/" + again.at("/sandbox/id").asText() + "/access";
      await(body)
          .atMost(REFUSED)
          .until(
              () -> {
                String fresh = door.api().get(path).field("/token");
                return door.inside(again, fresh).exec("true").status() == 200;
              });
    }
  }

  @Test
  void onlyAdministratorsRevokeMoreThanTheirOwn() {
    Door consumer = door.withNewKey("consumer", "");
    assertThat(consumer.api().post("/v1/revocations", "{\"all\": true}").status()).isEqualTo(403);
    Door other = door.ofNewTenant("revoker-" + UUID.randomUUID());
    JsonNode mine = door.ensure(Door.thread());
    Api.Reply foreign =
        other
            .api()
            .post(
                "/v1/revocations",
                "{\"session_id\": \"%s\"}".formatted(mine.path("session_id").asText()));
    assertThat(foreign.status()).isEqualTo(404);
    assertThat(door.api().post("/v1/revocations", "{}").status()).isEqualTo(400);
  }

  @ParameterizedTest
  @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "PEER")
  void aTokenOfAnEarlierGenerationIsRefused(Via via) {
    targets.over(via);
    JsonNode session = door.ensure(Door.thread());
    Api.Dataplane before = door.inside(session);
    assertThat(before.exec("true").status()).isEqualTo(200);
    String path = "/v1/sandboxes/" + session.at("/sandbox/id").asText() + "/recreate";
    Api.Reply again = door.api().post(path, "{}", "If-Match", "1", "Prefer", "wait=30");
    assertThat(again.status()).as(again.text()).isEqualTo(201);
    assertThat(before.exec("true").status()).isEqualTo(401);
    JsonNode same = door.ensure(session.path("thread_id").asText());
    assertThat(same.path("session_id")).isEqualTo(session.path("session_id"));
    Api.Reply inside = door.inside(same).exec("true");
    assertThat(inside.status()).as(inside.text()).isEqualTo(200);
  }

  @Test
  void keysRotateWithoutAGap() {
    String thread = Door.thread();
    JsonNode before = door.ensure(thread);
    Set<String> published = kids();
    assertThat(published).isNotEmpty();
    assertThat(door.api().post("/v1/signing-keys/rotate", "{}").status()).isEqualTo(200);
    await().atMost(Duration.ofMinutes(1)).until(() -> kids().size() == published.size() + 1);
    assertThat(kids()).containsAll(published);
    await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () -> {
              JsonNode now = door.ensure(thread);
              assertThat(door.inside(now).exec("true").status()).isEqualTo(200);
              assertThat(door.inside(before).exec("true").status()).isEqualTo(200);
              return !published.contains(kid(now));
            });
    assertThat(kids()).containsAll(published);
    assertThat(door.api().get("/v1/signing-keys").text()).contains("current", "previous");
    assertThat(door.withNewKey("operator", "").api().get("/v1/signing-keys").status())
        .isEqualTo(403);
  }

  private Set<String> kids() {
    Set<String> kids = new TreeSet<>();
    door.api()
        .withKey("")
        .get("/.well-known/jwks.json")
        .json()
        .path("keys")
        .forEach(key -> kids.add(key.path("kid").asText()));
    return kids;
  }

  private static String kid(JsonNode session) throws IOException {
    String head = session.path("token").asText().split("\\.", -1)[0];
    return Api.JSON.readTree(Base64.getUrlDecoder().decode(head)).path("kid").asText();
  }

  /** A command that runs while its WebSocket is open. */
  private static RawClient socket(Api.Dataplane inside) throws IOException {
    URI url = URI.create(inside.url() + "/exec/ws");
    RawClient client = new RawClient(url.getPort());
    client.send(
        "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: Bearer %s\r\n%s\r\n"
            .formatted(url.getPath(), url.getAuthority(), inside.api().key(), WebSocketTest.ASK));
    assertThat(client.head()).startsWith("HTTP/1.1 101 ");
    client.send(Ws.fromClient(Ws.TEXT, "{\"type\": \"start\", \"command\": [\"sleep\", \"600\"]}"));
    assertThat(read(client, Ws.TEXT).text()).contains("\"ready\"");
    return client;
  }

  /** Reads frames until one of this kind. */
  private static Ws.Frame read(RawClient socket, int opcode) throws IOException {
    Ws.Frame frame = Ws.read(socket.in());
    while (frame.opcode() != opcode) {
      frame = Ws.read(socket.in());
    }
    return frame;
  }
}
