package dev.sandboxer.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.testing.client.Api;
import dev.sandboxer.testing.client.Door;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/**
 * Tokens end: by revocation, generation, key; keys rotate; the database may be away for a while.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RevocationTest {

  private static final Duration REFUSED = Duration.ofMinutes(1);

  private Database database;
  private Platform platform;
  private Door door;

  @BeforeAll
  void start() {
    database = Database.start();
    Map<String, String> settings = new HashMap<>(database.settings());
    settings.put("SANDBOXER_REVOCATION_MAX_STALENESS", "15"); // beyond a pause of the machine
    settings.put("SANDBOXER_KEY_PUBLISH_SECONDS", "3");
    platform = Platform.start(settings);
    door = new Door(platform.api());
  }

  @AfterAll
  void stop() {
    platform.close();
    database.close();
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

  @Test
  void aSessionsTokensEndAndItsOpenSocketsCloseAndANewTokenIsGood() throws Exception {
    JsonNode session = door.ensure(Door.thread());
    JsonNode other = door.ensure(Door.thread());
    String id = session.path("session_id").asText();
    Api.Dataplane inside = door.inside(session);
    try (Socket socket = Socket.open(inside, session.path("token").asText());
        Socket untouched = Socket.open(door.inside(other), other.path("token").asText())) {
      revoke("{\"session_id\": \"%s\"}".formatted(id));
      socket.closed().get(60, TimeUnit.SECONDS);
      refused(inside);
      assertThat(untouched.closed()).isNotDone();
    }
    String fresh = door.on(id, "refresh").field("/token");
    assertThat(door.inside(session, fresh).exec("true").status()).isEqualTo(200);
    assertThat(door.inside(other).exec("true").status()).isEqualTo(200);
  }

  @Test
  void aSandboxsAndATenantsAndAllTokensEndAndNewOnesByAccessAreGood() throws Exception {
    JsonNode session = door.ensure(Door.thread());
    revoke("{\"sandbox_id\": \"%s\"}".formatted(session.at("/sandbox/id").asText()));
    refused(door.inside(session));
    for (String body : new String[] {"{\"tenant\": \"default\"}", "{\"all\": true}"}) {
      JsonNode again = door.ensure(session.path("thread_id").asText());
      Api.Dataplane inside = door.inside(again);
      assertThat(inside.exec("true").status()).as(body).isEqualTo(200);
      try (Socket socket = Socket.open(inside, again.path("token").asText())) {
        revoke(body);
        socket.closed().get(60, TimeUnit.SECONDS);
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
    Door other = door.ofNewTenant("revoker");
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

  @Test
  void aTokenOfAnEarlierGenerationIsRefused() {
    JsonNode session = door.ensure(Door.thread());
    Api.Dataplane before = door.inside(session);
    assertThat(before.exec("true").status()).isEqualTo(200);
    String path = "/v1/sandboxes/" + session.at("/sandbox/id").asText() + "/recreate";
    Api.Reply again = door.api().post(path, "{}", "If-Match", "1", "Prefer", "wait=30");
    assertThat(again.status()).as(again.text()).isEqualTo(201);
    assertThat(before.exec("true").status()).isEqualTo(401);
    JsonNode same = door.ensure(session.path("thread_id").asText());
    assertThat(same.path("session_id")).isEqualTo(session.path("session_id"));
    assertThat(door.inside(same).exec("true").status()).isEqualTo(200);
  }

  @Test
  void keysRotateWithoutAGap() {
    String thread = Door.thread();
    JsonNode before = door.ensure(thread);
    Set<String> published = kids();
    assertThat(published).hasSize(1);
    assertThat(door.api().post("/v1/signing-keys/rotate", "{}").status()).isEqualTo(200);
    await().atMost(Duration.ofMinutes(1)).until(() -> kids().size() == 2);
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

  private static String kid(JsonNode session) {
    String head = session.path("token").asText().split("\\.", -1)[0];
    try {
      return Api.JSON.readTree(java.util.Base64.getUrlDecoder().decode(head)).path("kid").asText();
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  void withTheDatabaseGoneTheRelayGoesOnForTheStatedTimeAndThenRefuses() {
    JsonNode session = door.ensure(Door.thread());
    Api.Dataplane inside = door.inside(session);
    assertThat(inside.exec("true").status()).isEqualTo(200);
    database.kill();
    try {
      Instant later = Instant.now().plusSeconds(5);
      await()
          .atMost(Duration.ofMinutes(1))
          .until(
              () -> {
                assertThat(inside.exec("true").status()).as("not yet stale").isEqualTo(200);
                return Instant.now().isAfter(later);
              });
      await().atMost(Duration.ofMinutes(1)).until(() -> inside.exec("true").status() == 503);
    } finally {
      database.again();
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> inside.exec("true").status() == 200);
  }

  /** A command that runs while its WebSocket is open. */
  record Socket(Frames frames) implements AutoCloseable {

    private static final String PATH = "/exec/ws";

    static Socket open(Api.Dataplane inside, String token) {
      return begun(Frames.open(inside, PATH, token, ""));
    }

    static Socket withTicket(Api.Dataplane inside, String ticket) {
      return begun(Frames.withTicket(inside, PATH, ticket));
    }

    private static Socket begun(Frames frames) {
      frames.send("{\"type\": \"start\", \"command\": [\"sleep\", \"600\"]}");
      var _ = frames.await("ready");
      return new Socket(frames);
    }

    CompletableFuture<Boolean> closed() {
      return frames.closed();
    }

    @Override
    public void close() {
      frames.close();
    }
  }
}
