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
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Tokens of a real sandbox end by revocation; the database may be away for a while. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class RevocationTest {

  private Database database;
  private Platform platform;
  private Door door;

  @BeforeAll
  void start() {
    database = Database.start();
    Map<String, String> settings = new HashMap<>(database.settings());
    settings.put("SANDBOXER_REVOCATION_MAX_STALENESS", "15"); // beyond a pause of the machine
    platform = Platform.start(settings);
    door = new Door(platform.api());
  }

  @AfterAll
  void stop() {
    platform.close();
    database.close();
  }

  @Test
  void aSessionsTokensEndAndItsOpenSocketsCloseAndANewTokenIsGood() throws Exception {
    JsonNode session = door.ensure(Door.thread());
    String id = session.path("session_id").asText();
    Api.Dataplane inside = door.inside(session);
    try (Socket socket = Socket.open(inside, session.path("token").asText())) {
      Api.Reply reply =
          door.api().post("/v1/revocations", "{\"session_id\": \"%s\"}".formatted(id));
      assertThat(reply.status()).as(reply.text()).isEqualTo(201);
      socket.closed().get(60, TimeUnit.SECONDS);
      await().atMost(Duration.ofMinutes(1)).until(() -> inside.exec("true").status() == 401);
    }
    String fresh = door.on(id, "refresh").field("/token");
    assertThat(door.inside(session, fresh).exec("true").status()).isEqualTo(200);
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
