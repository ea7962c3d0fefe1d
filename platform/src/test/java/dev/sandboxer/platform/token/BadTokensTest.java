package dev.sandboxer.platform.token;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.sandboxer.platform.testing.InProcess;
import dev.sandboxer.testing.client.BadTokens;
import dev.sandboxer.testing.client.Door;
import dev.sandboxer.testing.client.TokenForge;
import io.quarkus.test.junit.QuarkusTest;
import io.quarkus.test.junit.TestProfile;
import jakarta.inject.Inject;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Bad tokens, each with one thing wrong, get one answer; a good one right after each is taken. */
@QuarkusTest
@TestProfile(InProcess.class)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class BadTokensTest {

  @Inject Jdbi jdbi;
  private final Door door = new Door(InProcess.api());

  @Test
  void everyBadTokenGetsTheSameAnswerAndAGoodOneRightAfterIsTaken() throws Exception {
    JsonNode session = door.ensure(Door.thread());
    TokenForge forge = new TokenForge(this::one, InProcess.home(), session.path("token").asText());
    String health = door.inside(session).url() + "/health";
    BadTokens.check(door.api(), health, forge, forge.bad());
  }

  private String one(String query) {
    return jdbi.withHandle(open -> open.createQuery(query).mapTo(String.class).one());
  }

  /** What a sandbox could capture is worth nothing anywhere else. */
  @Test
  void aTokenIsWorthNothingElsewhere() {
    JsonNode one = door.ensure(Door.thread());
    JsonNode two = door.ensure(Door.thread());
    String token = one.path("token").asText();
    Door stolen = new Door(door.api().withKey(token));
    assertThat(door.inside(one).get("/health").status()).isEqualTo(200);
    assertThat(door.inside(two, token).get("/health").status())
        .as("another sandbox")
        .isEqualTo(401);
    String id = one.path("session_id").asText();
    for (String verb : new String[] {"refresh", "refresh-token", "heartbeat"}) {
      assertThat(stolen.on(id, verb).status()).as(verb).isEqualTo(401);
    }
    assertThat(stolen.look(id).status()).isEqualTo(401);
    assertThat(stolen.release(id).status()).isEqualTo(401);
    assertThat(stolen.statusOfEnsure()).isEqualTo(401);
    assertThat(stolen.api().post("/sandbox/refresh", "{}").status()).isEqualTo(401);
    assertThat(stolen.api().get("/v1/sandboxes").status()).isEqualTo(401);
    String control = door.inside(one).url().replaceFirst("/v1$", "/v1/control/shutdown");
    assertThat(stolen.api().post(control, "{}").status()).as("boxd's control").isEqualTo(404);
  }
}
